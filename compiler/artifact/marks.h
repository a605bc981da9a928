// SPDX-License-Identifier: Apache-2.0
// Marks: what a kernel writes down of the times at which the warps of one block begin and end what a pipeline is made of. The
// pass instrument-timeline puts them into a kernel; who launches it chooses the block before and reads the words afterwards, on a GPU
// and on the emulator alike.
//
// Each warp has a row of words, which its first lane alone writes: a head, then a word for each time, in the order in which
// they were taken: the clock in the low bits, above it which end of which site, and which of several barriers or stages.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/artifact/launch_shape.h"
#include "lang/base/origin.h"

namespace hidet::artifact {

enum class TimedKind : std::uint8_t { Copy, Wait, Compute, Store };
enum class AwaitedKind : std::uint8_t { Copies, Mbarrier, Barrier, Cluster, Products, Stores };

// Statements that are timed together.
struct MarkSite {
    std::string kernel;
    TimedKind kind{};
    AwaitedKind awaited{};      // of a wait
    std::string barrier = {};   // likewise: "full", "barrier 1"; of copies: the one in memory that counts their bytes
    Origin origin;              // of the first statement
    bool begins_copies = false; // of the kind Copy; else there are none, and it only closes a group of them
    bool closes_group = false;  // of copies, at its end
    bool is_by_place = false;   // the index of copies is where they write in shared memory, in units of place_bits
    int pending = -1; // of a wait for copies: groups that it leaves under way; -1: none, nor what is in no group
};
using MarkTable = std::vector<MarkSite>; // of a module, by number

// The variables of a module that has marks.
inline constexpr const char* marks_name = "hidet_marks";         // u64[words_of_marks]
inline constexpr const char* marked_block_name = "hidet_marked"; // u64: the number of the block + 1; 0: none

inline constexpr std::int64_t most_marked_warps = 32;
inline constexpr std::int64_t words_of_row = 4096;
inline constexpr std::int64_t words_of_marks = most_marked_warps * words_of_row;
enum MarkHead : std::int64_t { FirstClock, FirstTimer, LastClock, LastTimer, NextWord, WordsOfHead = 8 };
inline constexpr int clock_bits = 40, end_bits = 1, site_bits = 15, index_bits = 8;
inline constexpr std::int64_t most_sites = std::int64_t{1} << site_bits;
inline constexpr std::int64_t unknown_index = (std::int64_t{1} << index_bits) - 1; // and what is no smaller
inline constexpr std::int64_t most_counted = std::int64_t{1} << 20; // times of a warp, with those that found no place
inline constexpr std::int64_t unmarked = most_counted + 1;          // what a thread that writes nothing has counted

// Of an address of shared memory: 256 units are more than a multiprocessor has.
inline constexpr int place_bits = 10;
inline constexpr std::int64_t bytes_of_block = std::int64_t{1} << 24; // of addresses of one block's shared memory

// A block by its index, or {number, -1, -1}: by its number in the launch. Nothing: the grid has none like it.
using BlockIndex = std::array<std::int64_t, 3>;
std::optional<std::int64_t> block_number(const LaunchShape& shape, const BlockIndex& index);

struct MarkedBlock {
    std::string kernel;
    std::int64_t block = 0;
    LaunchShape shape;
    std::vector<std::uint64_t> words; // words_of_marks of them
};

struct MarkedTime { // of a warp at a site
    int warp = 0;
    std::uint32_t site = 0;
    std::uint64_t begin = 0, end = 0; // cycles since the first warp began
    int index = -1;                   // of its barrier, or of the stage that it fills; -1: not known
};
struct MarkedTimes {
    int warps = 0;                 // that wrote something
    std::vector<MarkedTime> times; // by warp, in the order in which they began
    std::uint64_t cycles = 0;      // until the last warp ended
    std::uint64_t nanoseconds = 0; // likewise, by the GPU's timer
    std::int64_t dropped = 0;      // times that found no place
};
// Sites that are not in the table are damage, which is left out, as is a time that never ended.
MarkedTimes marked_times(const MarkedBlock& marked, const MarkTable& table);

} // namespace hidet::artifact
