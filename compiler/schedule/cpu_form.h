// SPDX-License-Identifier: Apache-2.0
// How a kernel for the CPU runs through the elements of a stage.
#pragma once

#include "compiler/schedule/kernel.h"

namespace hidet::graph {

enum class Lanes : std::uint8_t {
    None,    // one element after the other
    Output,  // neighbours along the last axis of the result
    Reduced, // neighbouring terms of a reduction, summed beside each other
};

struct CpuForm {
    Lanes lanes = Lanes::None;
    std::int64_t width = 1;   // lanes
    std::size_t reduced = 0;  // Lanes::Reduced: the axis of the reduction
    std::size_t tiled = 0;    // this axis of the result, `rows` at a time, which share what they read
    std::int64_t rows = 1;    // 1: none
    std::int64_t chunk = 0;   // Lanes::Output: so many elements of the last axis are a unit of parallel work; 0: all
    bool is_parallel = false; // worth the start of threads, or of unknown size
};

CpuForm cpu_form(const Stage& stage, const artifact::TargetSpec& target);

} // namespace hidet::graph
