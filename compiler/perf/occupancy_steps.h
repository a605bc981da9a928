// SPDX-License-Identifier: Apache-2.0
// How the occupancy of a kernel depends on what a block takes: stairs, with the step that the kernel stands on, and how far it
// is to the next one up and down.
#pragma once

#include "compiler/perf/occupancy.h"

namespace hidet::perf {

struct CliffStep {
    std::int64_t from = 0, to = 0; // values of one result
    int blocks = 0, warps = 0;     // of a multiprocessor; 0: no block fits
};

struct Cliff {
    std::string what; // "registers per thread", "bytes of shared memory per block", "threads per block"
    std::int64_t now = 0;
    std::vector<CliffStep> steps; // from the least value on
    std::string sentence;         // "40; 8 fewer give 8 blocks instead of 6, 1 more leaves 5"
};

// None of what is not known: registers before a compiler has said how many.
std::vector<Cliff> cliffs_of(const artifact::TargetSpec& gpu, const BlockNeeds& needs);

} // namespace hidet::perf
