// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies that are under way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/vm/checks/shadow.h"
#include "runtime/vm/code.h"

namespace hidet::artifact {
struct TensorMap;
}

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

// The cache is asked for all lines of so many bytes; returns how many that are.
inline int ask_for(const std::byte* from, std::int64_t bytes) {
    constexpr std::uintptr_t line_bytes = 64;
    const auto line_of = [](const std::byte* at) { return reinterpret_cast<std::uintptr_t>(at) / line_bytes; };
    const std::uintptr_t first = line_of(from), last = line_of(from + bytes - 1);
    for (std::uintptr_t line = first; line <= last; ++line)
        __builtin_prefetch(reinterpret_cast<const std::byte*>(line * line_bytes));
    return static_cast<int>(last - first + 1);
}

inline constexpr int own_block = -1; // where a rank in the cluster is given

// Bytes that lie together in shared memory and, as far as they are copied, in global memory. Of rows behind each other in shared
// memory all are copied.
struct CopyRun {
    std::int64_t shared = 0;     // bytes from the beginning of the array
    std::byte* global = nullptr; // of the first byte that is copied
    std::int32_t bytes = 0;      // in shared memory, of a row
    std::int32_t skipped = 0;    // of them, before those that are copied; others become 0
    std::int32_t copied = 0;
    bool is_swizzled = false; // it is a row that is as long as the swizzle: its 16-byte pieces are exchanged
    std::int32_t rows = 1;
    std::int64_t pitch = 0; // bytes from row to row in global memory
};
// A copy by a tensor map, as it is issued.
struct TensorCopy {
    const artifact::TensorMap& map;
    std::uint64_t tile = 0; // in shared memory
    int lane = 0;
    Purpose at_tensor{}; // what is done to the tensor
};
// A copy of the copy unit that is under way.
struct BulkCopy {
    std::size_t row = 0; // of the shared arrays
    std::vector<CopyRun> runs;
    std::int64_t bytes = 0;
    std::int64_t row_bytes = 0;         // of a row of the box, which may be several runs
    const std::byte* memory = nullptr;  // where what the runs lie in begins, as if at a multiple of a sector
    const std::byte* barrier = nullptr; // to shared memory: that counts the bytes
    int lane = 0;                       // from shared memory: that waits for it
    int group = -1;                     // which group it is in, -1: in none yet
    std::uint32_t pc = 0;
    int swizzle = -1;           // of a box: bytes of the rows whose parts it moves
    Epoch epoch = 0;            // from shared memory: when it began
    std::optional<Op> update{}; // from shared memory: how values are combined, by the atomic of the name
    Scalar element{};           // of them
    std::size_t asked = 0;      // runs of which the cache has been asked for what they read, and so far of the next one
    std::int32_t asked_rows = 0;
};

// What runs beside the threads, by what a wait for it is about.
enum class UnitKind : std::uint8_t { Barrier, Stores, Products };
struct Unit {
    UnitKind kind{};
    std::string name; // of a barrier
    int lane = 0;     // Stores: whose; Products: the first of the warp group
};

// Of 16 bytes of shared memory: the copy of a box that wrote them, and bytes of the rows that its swizzle moves.
struct Swizzled {
    std::uint32_t pc = 0;
    std::int16_t row_bytes = 0;
    bool operator==(const Swizzled&) const = default;
};
struct KnownLoad { // that left its marks, of which none changed since
    std::int64_t place = 0, bytes = 0;
    Swizzled marks;
    std::uint64_t changes = 0;
    bool operator==(const KnownLoad&) const = default;
};

// A thread arrives at a barrier when its copies of cp.async are done.
struct CopyArrival {
    const std::byte* barrier = nullptr;
    int lane = 0;
    std::uint64_t before = 0; // copies with smaller numbers
    Epoch at = 0;             // when it said so, and what the thread knew then
    Clock knows;
};

} // namespace hidet::vm
