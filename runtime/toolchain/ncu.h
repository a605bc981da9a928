// SPDX-License-Identifier: Apache-2.0
// Nsight Compute: what it is told to count, and what it says. It runs a program, launches the kernels of interest once for
// each group of counters, and leaves a report; its pages are asked for afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/base/result.h"

namespace hidet::toolchain {

struct Profiling {
    std::string ncu;
    std::vector<std::string> kernels; // by name, one at least
    std::string report;               // without the ending that ncu adds
    std::vector<std::string> program; // that launches them
};
std::vector<std::string> profile_words(const Profiling& what);
std::string report_file(const Profiling& what);

enum class ReportPage : std::uint8_t { Instructions, Totals };
std::vector<std::string> page_words(const std::string& ncu, const std::string& report, ReportPage page);

// All warps of a launch together.
struct CountedStall {
    std::string reason; // "long_sb"
    std::uint64_t samples = 0;
    std::uint64_t not_issued = 0; // of them, when no other warp of the scheduler could go on either
};
struct CountedInstruction {
    std::uint64_t offset = 0; // bytes, from the beginning of its kernel
    std::string text;         // "@P0 LDG.E R1, ..."
    std::uint64_t samples = 0;
    std::uint64_t executed = 0; // by warps
    std::uint64_t threads = 0;  // that were on
    std::uint64_t divergent = 0;
    std::string space;                                  // "Global", "Shared"
    std::uint64_t sectors = 0, least_sectors = 0;       // of global memory
    std::uint64_t wavefronts = 0, least_wavefronts = 0; // of shared memory
    std::vector<CountedStall> stalls;                   // those that were seen
};
struct CountedKernel {
    std::string name; // "matmul", without its parameters
    std::vector<CountedInstruction> code;
};
// The page of instructions as CSV; lines before the first kernel are ncu's own. "counters-not-read"
Result<std::vector<CountedKernel>> read_counted_kernels(std::string_view csv);

// A launch by the names of its counters, in seconds, bytes and per cent where they have such units.
struct CountedLaunch {
    std::string kernel;
    std::string capability; // "9.0"
    std::map<std::string, double, std::less<>> figures;
    std::optional<double> figure(std::string_view name) const;
};
Result<std::vector<CountedLaunch>> read_counted_launches(std::string_view csv); // likewise

// Why nothing was counted, by what ncu and the program printed: which permission is missing, and how to get it. Nothing: the
// text names no such reason.
std::optional<Error> refusal_in(std::string_view printed);

} // namespace hidet::toolchain
