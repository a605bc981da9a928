// SPDX-License-Identifier: Apache-2.0
// What a launch moves between the levels of memory, from the device's memory to registers: read off the maps of accesses before
// anything runs, and beside it what a GPU counted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/explain/explain.h"

namespace hidet::session {

enum class MemoryLevel : std::uint8_t { Device, Second, First, Shared, Local, Registers };
const char* memory_level_name(MemoryLevel level); // "L2"

struct MemoryFlow {
    MemoryLevel from{}, to{};
    double read = 0, written = 0;  // bytes; where data goes is not known of what passes to the device's memory
    double bytes = 0;              // both
    bool is_least = false;         // at least that much
    double ratio = 1;              // to what is needed: 1 is as good as can be
    std::string says;              // of what the ratio is
    std::optional<double> counted; // bytes, by Nsight Compute
};

// What a GPU counted of the kernel, in bytes.
struct CountedTraffic {
    double device = 0, second = 0, first = 0, shared = 0;
};

struct MemoryChart {
    std::string unknown; // accesses that are not counted exactly; empty: all are
    std::vector<MemoryFlow> flows;
};
MemoryChart memory_chart(const KernelExplained& kernel, const std::optional<CountedTraffic>& counted = {});

} // namespace hidet::session
