// SPDX-License-Identifier: Apache-2.0
// Products of a warp group, as tiles of mma.sync: a warp has 16 rows, and each 8 columns of the sums are such a tile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/vm/checks/shadow.h"
#include "runtime/vm/code.h"
#include "runtime/vm/matrix/mma.h"

namespace hidet::vm {

struct WgmmaForm {
    const MmaShape* shape = nullptr; // of 8 columns of a warp
    int n = 0;
    bool a_in_registers = false;
    bool negates_a = false, negates_b = false;
    bool is_a_transposed = false, is_b_transposed = false; // m or n is contiguous, not k
};

inline constexpr int warps_of_group = 4;
inline constexpr int most_columns = 32; // tiles of 8

// "f16_f32.n128.1.1.0.0": the attributes of the intrinsic; of Wgmma with trans_a, of WgmmaRegisters without.
WgmmaForm wgmma_form(std::string_view attributes);

// A tile in shared memory, of units of 8 rows of 16 to 128 bytes; by a descriptor (PTX ISA, "matrix descriptor"): bits 0-13
// the first address, 16-29 and 32-45 the leading and the stride byte offset, each without its low 4 bits; 62-63 the swizzle.
struct SharedTile {
    SharedTile(std::uint64_t descriptor, int element_bytes, bool is_contiguous_along_mn);
    // Of an element, in the 32-bit window.
    std::int64_t place(int mn, int k) const;

    std::int64_t first, leading, stride; // bytes
    int row;                             // bytes of a row of a unit
    bool is_swizzled, is_transposed;
    int element; // bytes
};

// The pieces of a tile: of each row along k, or of each k along m or n.
struct TilePlan {
    std::vector<const std::byte*> pieces;
    std::vector<std::int64_t> places; // in the 32-bit window
    int pieces_along = 0;             // in one of those rows
    std::int64_t row_bytes = 0;       // of the swizzle
    std::vector<GranuleRun> runs;
    std::uint64_t swizzles = 0; // how often swizzles had changed when the pieces were found to lie as they are read
};

struct KnownPlan {
    std::uint64_t key = 0;
    TilePlan* plan = nullptr;
};

struct WgmmaPlan {
    WgmmaForm form;
    std::size_t sums = 0, after_a = 0; // items of its operands
    std::vector<std::int32_t> all,
        without_sums; // sorted registers that it has while it is under way
    std::uint32_t pc = 0;
    int behind = 0; // products that may be added together with it
};

// Products of a warp group that are under way, in the groups that are waited for.
struct ProductGroup {
    Epoch began = 0;                     // its last product
    std::vector<const WgmmaPlan*> plans; // of products with registers of their own
};
struct Products {
    std::vector<ProductGroup> closed;
    ProductGroup open;
};

// Products that add to the same sums, of which only the last may be followed by something that could tell whether they have been
// done: they are done together then, so a warp's sums are read and written once.
struct ProductChain {
    static constexpr int most = 4;
    struct Product {
        const WgmmaPlan* plan = nullptr;
        const artifact::Operands* row = nullptr;
        std::array<TilePlan*, max_threads / 32> a{};                  // of each warp, unless it is in registers
        std::array<TilePlan*, max_threads / 32 / warps_of_group> b{}; // of each warp group
    };
    std::array<Product, most> products;
    int count = 0, behind = 0; // so far, and that come
    std::uint32_t starts = 0;  // warps whose sums begin at 0
};
// What is spread of a for the warps of a group.
inline constexpr std::size_t chain_a_words = std::size_t{warps_of_group} * ProductChain::most * mma_a_words;
int products_behind(const Code& code, std::uint32_t pc); // of one, in a chain

// The registers that the script names, of the sums and of a (products.cpp).
std::vector<std::int32_t> product_registers(const Function& function, const Instr& i, bool with_sums);

} // namespace hidet::vm
