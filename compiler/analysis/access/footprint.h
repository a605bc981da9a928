// SPDX-License-Identifier: Apache-2.0
// Which bytes of global memory each block of a kernel touches. Blocks that do the same, and iterations of loops, stay together
// as they do in the tracer: a part says what it touches by where its first block and iteration begin, and how far the next are.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/func.h"
#include "lang/base/symbol_values.h"

namespace hidet::compiler::access {

struct Bytes { // [begin, end), of bytes, or of elements where it is said
    std::int64_t begin = 0, end = 0;
    friend auto operator<=>(const Bytes&, const Bytes&) = default;
};
using ByteSet = std::vector<Bytes>; // sorted, and apart from each other
void unite(ByteSet& set);           // any stretches become such a set
std::int64_t bytes_of(const ByteSet& set);
std::uint64_t mixed(std::uint64_t hash, std::uint64_t value);

// A sum over the block's indices and the loops of a part.
struct Place {
    std::int64_t constant = 0;
    std::array<std::int64_t, 3> by{};     // from a block to the next in x, y and z
    std::vector<std::int64_t> by_of_loop; // in the order of FootprintPart::loops
};

// What the copy unit takes of a tensor at once, innermost dimension first.
struct Box {
    std::string tensor;
    int element_bytes = 1;
    std::vector<std::int64_t> extents, strides, box; // elements, bytes, elements
    // Elements of dimension d that lie in the tensor, of the box at `at`.
    Bytes inside(std::size_t d, std::int64_t at) const;
};
std::int64_t bytes_of(const Box& box);

struct FootprintLoop {
    std::string variable;
    std::int64_t begin = 0, count = 1; // of this part: begin, begin + 1, ...
};

struct FootprintPart {
    std::string tensor;
    bool writes = false;
    bool is_guarded = false;                       // data decides whether it is touched
    std::array<std::int64_t, 3> first{}, blocks{}; // which blocks
    std::vector<FootprintLoop> loops;              // from the outside in
    Place place;                                   // of what `lanes` count from
    std::shared_ptr<const ByteSet> lanes;          // null: a box
    std::shared_ptr<const Box> box;
    std::uint64_t shape = 0;        // a number of either, by what is in it
    std::vector<Place> coordinates; // of the box
    bool has(const std::array<std::int64_t, 3>& block) const;
};

struct Footprint {
    std::vector<FootprintPart> parts;
    std::set<std::string>
        unknown; // tensors of which something is touched that cannot be told; "" where even that is not known
    bool is_cut_short = false; // there was no time for all blocks, and there are no parts
};

struct FootprintRequest {
    std::vector<std::int64_t> blocks; // linear numbers, sorted; others may be left out
    std::int64_t work = 20'000'000;   // as of Limits
    const std::atomic<bool>* cancelled = nullptr;
};

Footprint footprint_of(const ir::Module& module, const ir::Function& kernel, const SymbolValues& sizes,
                       const FootprintRequest& request);

// The boxes of the tensor maps that the kernel is given, by its parameter: null where they are not known.
std::shared_ptr<const Box> box_of(const ir::Module& module, const ir::Function& kernel, const ir::Var& parameter,
                                  const SymbolValues& sizes);

// One block's share of one part: in one round of its outermost loop, or (-1) in all. Added to `out`, as it is or in sectors.
void add_touched(const FootprintPart& part, const std::array<std::int64_t, 3>& block, std::int64_t round, ByteSet& out);
void add_bytes(const FootprintPart& part, const std::array<std::int64_t, 3>& block, std::int64_t round, ByteSet& out);
// A number that is equal where add_bytes() would add the same.
std::uint64_t key_of(const FootprintPart& part, const std::array<std::int64_t, 3>& block, std::int64_t round);

} // namespace hidet::compiler::access
