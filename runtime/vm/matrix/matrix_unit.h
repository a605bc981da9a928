// SPDX-License-Identifier: Apache-2.0
// Matrices of single warps: ldmatrix and stmatrix (matrix.cpp), and mma.sync (fused_products.cpp).
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/vm/core/block_view.h"
#include "runtime/vm/matrix/fused_products.h"

namespace hidet::vm {

class MatrixUnit : BlockView {
public:
    explicit MatrixUnit(const BlockView& view) : BlockView(view) {}
    void begin() { m_waiting_run = nullptr; }
    void load_matrix(Group& group, const Step& step);
    void store_matrix(Group& group, const Step& step);
    void multiply(Group& group, const Step& step);
    std::uint32_t* spread_operands();

private:
    const MatrixRows& matrix_rows(Group& group, const artifact::Operands& row, int count, Purpose purpose);
    MatrixRows& kept_rows(std::uint64_t key);
    const MatrixRows& fresh_rows(Group& group, const artifact::Operands& row, int count, Purpose purpose);
    void learn_rows(Group& group, const artifact::Operands& row, int count, Purpose purpose, MatrixRows& out);
    void add_touches(const std::vector<WarpGranule>& granules, Purpose purpose, MatrixRows& out);
    void check_rows(Group& group, const MatrixRows& rows, Purpose purpose);
    void tell_debugger(const Group& group, const MatrixRows& rows, int tiles);
    bool has_number(const Group& group, std::int32_t operand) const;
    void gather_matrices(const Group& group, const artifact::Operands& row, const MatrixRows& rows, bool turned);
    void pass_over_run(Group& group, const FusedProducts& run);
    void look_at_operand(const Group& group, FusedProducts::Operand& operand) const;
    bool are_alike(const Group& group, FusedProducts& run, std::uint32_t warps) const;
    void spread_warp(const MmaShape& shape, const FusedProducts::Operand& operand, std::size_t w, std::uint32_t* out);
    std::uint32_t* spread_operand(const FusedProducts& run, FusedProducts::Operand& operand, std::uint32_t warps,
                                  std::uint32_t* next);
    std::uint32_t* spread_run(FusedProducts& run, std::uint32_t warps, std::uint32_t* next);
    void multiply_run(const Group& group, FusedProducts& run, std::uint32_t warps);
    void multiply_spread(const FusedProducts& run, std::uint32_t warps, const MmaParts& parts);

    std::unordered_map<std::uint64_t, MatrixRows> m_matrix_rows;
    std::unordered_map<std::uint64_t, MatrixRows> m_old_rows; // that loads may be put off with
    struct KnownRows {
        std::uint64_t key = 0;
        MatrixRows* rows = nullptr;
    };
    std::array<KnownRows, 256> m_known_rows;                      // that were asked for last
    MatrixRows m_fresh_rows;                                      // that will not be seen again
    std::vector<std::unique_ptr<FusedProducts>> m_fused_products; // by the first instruction
    FusedProducts* m_waiting_run = nullptr;                       // that is spread, and done with its follower
    std::vector<LoadedRegister> m_loaded;                         // by register; what ldmatrix loaded
    std::vector<std::uint32_t> m_spread;
};

} // namespace hidet::vm
