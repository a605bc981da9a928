// SPDX-License-Identifier: Apache-2.0
// Products of mma.sync that stand behind each other are done at once, warp by warp: an a or a b that several of them have is
// spread once, for all warps that loaded the same one, and what a warp works on stays in the cache.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/vm/checks/shadow.h"
#include "runtime/vm/code.h"
#include "runtime/vm/mask.h"
#include "runtime/vm/matrix/mma.h"

namespace hidet::vm {

// Of each warp, the first one that has the same.
using WarpsAlike = std::array<std::uint8_t, max_threads / 32>;

// The rows of matrices that the lanes of each warp point to.
struct MatrixRows {
    std::vector<std::byte*> rows;
    std::vector<std::uint32_t> first_of_warp;
    WarpsAlike alike{};         // those with the same rows
    std::vector<Touch> touches; // what the warps touch, in the order of the granules
    std::vector<Cell> tags;
    std::vector<std::int64_t>
        distances; // of the lanes' pointers from the first one, where no number tells what they are

    std::byte* const* of_warp(int w) const { return rows.data() + first_of_warp[static_cast<std::size_t>(w)]; }
};

struct WarpGranule { // and the warp that has it
    std::int32_t granule = 0;
    int warp = 0;
};

struct LoadedRegister {        // by ldmatrix
    std::uint64_t version = 0; // of what a group has in it, of which the warps with the same number have the same
    std::uint64_t load = 0;    // those of one instruction have the same numbers
    WarpsAlike warps{};
    const MatrixRows* rows = nullptr; // it is put off: these are to be in it, and products take them from there
    std::uint8_t tile = 0;            // of those
    bool is_turned = false;
};

struct FusedProducts {
    struct Operand { // an a or a b
        std::vector<std::int32_t> registers;
        bool is_a = false;
        std::vector<std::uint32_t*> at = {}; // where the block has those
        // While products are done: of each warp, what is spread, and the first warp that has the same.
        std::array<const std::uint32_t*, max_threads / 32> spread = {};
        const std::uint8_t* alike = nullptr;
        std::array<const LoadedRegister*, 4> deferred = {}; // of the registers; null: it is not
    };
    struct Left { // an a, and its products, of the tiles
        Operand a;
        std::vector<int> right = {};         // which b each has
        std::vector<std::int32_t> sums = {}; // registers, of one product behind those of the other
        std::vector<std::uint32_t*> at = {}; // where the block has those
        bool has_each_right = false;         // one behind the other
    };
    const MmaShape* shape = nullptr; // null: there is no such instruction
    std::uint32_t steps = 1;         // instructions
    std::vector<Operand> right;
    std::vector<Left> left;
    // Where a run begins that adds to the same sums, before which nothing names them or could wait: the products of both are done
    // together then. 0: none.
    std::uint32_t follower = 0;
    std::size_t words = 0; // of what is spread, until then
};

// The one that begins at an instruction; `is_alone`: of that one only.
FusedProducts find_fused_products(const Program& program, const Function& function, std::uint32_t pc, bool is_alone);
std::uint32_t find_follower(const Program& program, const Code& code, const FusedProducts& run, std::uint32_t pc);

} // namespace hidet::vm
