// SPDX-License-Identifier: Apache-2.0
// The leaves of the interpreter: functions that work on all the lanes of a register. The files of this folder are
// compiled once for each instruction set (x86-64-v2, v3, v4), each in a namespace of its own; the rest of the machine is
// compiled once and calls them through a table. So code for a newer processor never leaks into what an older one runs,
// and results cannot depend on the width: a leaf treats lanes one by one, and contraction is off.
//
// A leaf must not use inline functions of other headers (the linker would keep one copy for all instruction sets).
#pragma once

#include <cstddef>
#include <cstdint>

#include "compiler/artifact/program.h"

namespace hidet::vm {

// Lanes come in chunks; registers begin at a multiple of 64 bytes.
inline constexpr int chunk_lanes = 16;

struct VectorArgs {
    void* dst = nullptr;
    const void* a = nullptr; // a register, or the one value that all lanes share
    const void* b = nullptr;
    const void* c = nullptr;
    int lanes = 0; // a multiple of 16
};
using VectorFn = void (*)(const VectorArgs&);

// Which operands are one value for all lanes.
inline constexpr unsigned shared_a = 1, shared_b = 2, shared_c = 4;

// Copy: the same offsets as the chunk before it, all lanes of both running.
enum class ChunkKind : std::uint8_t { Off, Same, Run, Scattered, Copy };

// What is known about the addresses of an access, relative to its base: the result of classify().
struct Pattern {
    std::int64_t lowest = 0, highest = 0; // bytes, over the running lanes
    std::uint64_t low_bits = 0;           // of all offsets, or-ed
    bool one_run = false;                 // all lanes of the range are one contiguous run
    bool all_same = false;
    std::int64_t first = 0;       // offset of the first running lane
    bool all_chunks_same = false; // every chunk is of kind Same
    bool all_chunks_run = false;  // every chunk is of kind Run
};

// The lanes' offsets: one for each lane, and of the first lane of each chunk.
struct LaneOffsets {
    const std::int64_t* lanes = nullptr;
    const std::int64_t* chunks = nullptr;
    const ChunkKind* kinds = nullptr;
    const Pattern* pattern = nullptr;
    int count = 0; // chunks
};

// Pieces of 16 bytes that lie together where they come from and, in another order, where they go.
struct LineMove {
    static constexpr std::size_t pieces = 4;
    std::int32_t to = 0, from = 0;
    std::uint8_t order[8] = {}; // of each 8 bytes that go there: which of the line they are
};

struct MmaShape;
// Words that an operand takes when it is spread; of b, of each tile.
inline constexpr int mma_a_words = 512, mma_b_words = 256;
// So many, and words from what is spread of one to what is of the next.
struct MmaParts {
    int count = 1;
    std::size_t a_step = 0, b_step = 0;
};

// sum += a * b, with factors that are members of two lists.
struct MulAddTerm {
    std::uint32_t sum = 0; // byte offset
    std::uint16_t a = 0, b = 0;
};
struct Factors {
    const std::byte* const* members = nullptr; // where the first chunk's would be, were its offset 0
    const std::int64_t* chunks = nullptr;      // offsets of the chunks
    bool is_one = false;                       // a chunk has one value, and else sixteen
};

struct VectorTable {
    const char* name;
    VectorFn (*find)(artifact::Op op, artifact::Scalar type, int x, unsigned shared); // null: no such operation
    // dst[i] = mask[i] ? src[i] : dst[i], mask words are 0 or ~0; bytes of a lane: 4 or 8.
    void (*blend)(void* dst, const void* src, const std::uint32_t* mask, int lanes, int bytes);
    // sum[i] (+)= v[i] * stride; v is i32 or i64.
    void (*add_scaled)(std::int64_t* sum, const void* v, bool wide, std::int64_t stride, int lanes, bool first);
    // Lowest and highest of v where the mask is on.
    void (*range)(const void* v, bool wide, const std::uint32_t* mask, int lanes, std::int64_t* lowest,
                  std::int64_t* highest);
    // Looks at the offsets of the running lanes (bits: 16 a chunk); lanes that do not run get the offset of one that does.
    void (*classify)(std::int64_t* offsets, std::int64_t* chunk_offsets, const std::uint16_t* bits, int chunks,
                     int bytes, ChunkKind* kinds, Pattern* pattern);
    // Elements between memory and a register. `base` is the address that offset 0 means.
    void (*load)(artifact::Scalar type, void* dst, const std::byte* base, const LaneOffsets& offsets);
    void (*store)(artifact::Scalar type, const void* src, bool shared, std::byte* base, const LaneOffsets& offsets,
                  const std::uint16_t* bits);
    // Bits of the lanes whose word is not 0.
    void (*to_bits)(const void* words, std::uint16_t* bits, int chunks);
    void (*to_words)(const std::uint16_t* bits, std::uint32_t* words, int chunks);
    // sum += a * b for each triple of byte offsets (sum, a, b) from `registers`; f32, rounded twice.
    void (*muladd_all)(std::byte* registers, const std::uint32_t* triples, int count, int chunks);
    // The same with factors that are in memory.
    void (*muladd_memory)(std::byte* registers, const MulAddTerm* terms, int count, const Factors& a, const Factors& b,
                          int chunks);
    // Whether pointers lie so far from the first of them.
    bool (*has_distances)(const std::uint64_t* pointers, const std::int64_t* distances, int count);
    // out[i] = base + distances[i].
    void (*place_at)(std::uint64_t* out, std::uint64_t base, const std::int64_t* distances, int count);
    // A tile of eight rows of 16 bytes, of each `step`-th pointer; turned: the transpose of one of 16-bit values.
    void (*gather_rows)(const std::byte* const* rows, std::size_t step, bool turned, void* out);
    // So many tiles, of eight pointers each, that many bytes behind where each begins.
    void (*gather_tiles)(const std::byte* const* rows, int tiles, bool turned, std::byte* const* to, std::size_t at);
    void (*move_lines)(std::byte* to, const std::byte* from, const LineMove* lines, std::size_t count);
    // Rows of so many bytes (32, 64 or 128), `pitch` apart where they come from, behind each other where they go, which is at
    // `place` of a memory whose swizzle is as long as they are.
    void (*move_swizzled)(std::byte* to, const std::byte* from, std::int64_t pitch, int rows, int bytes,
                          std::int64_t place);
    // One warp's products c += a * b of one a and so many tiles of b and c; each register is 32 words, those of c from the word
    // `first` on. Operands are spread before, into memory that begins at a multiple of 64 bytes. Parts: of several a and b, which
    // are added one behind the other.
    void (*spread_mma_a)(const MmaShape& shape, const std::uint32_t* const* a, void* out);
    void (*spread_mma_b)(const MmaShape& shape, const std::uint32_t* const* b, void* out);
    // The same from the rows of 16 bytes, with `step` of them along k, of all rows of an a or all columns of some b.
    void (*spread_rows_a)(const MmaShape& shape, const std::byte* const* rows, std::size_t step, void* out);
    void (*spread_rows_b)(const MmaShape& shape, const std::byte* const* rows, std::size_t step, int tiles, void* out);
    // And from those that ldmatrix is given, eight behind each other of each register; turned: as gather_rows() does.
    void (*spread_tiles_a)(const MmaShape& shape, const std::byte* const* const* tiles, bool turned, void* out);
    void (*spread_tiles_b)(const MmaShape& shape, const std::byte* const* const* tiles, bool turned, void* out);
    void (*mma)(const MmaShape& shape, std::uint32_t* const* c, std::size_t first, const void* a, const void* const* b,
                int tiles, const MmaParts& parts);
};

namespace v2 {
const VectorTable& table();
}
namespace v3 {
const VectorTable& table();
}
namespace v4 {
const VectorTable& table();
}

using ScalarFn = void (*)(std::uint64_t* dst, const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c);
ScalarFn find_scalar(artifact::Op op, artifact::Scalar type, int x); // null: no such operation

} // namespace hidet::vm
