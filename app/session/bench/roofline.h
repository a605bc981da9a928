// SPDX-License-Identifier: Apache-2.0
// What a device can do at most, and where measured calls lie under that: the data of a roofline plot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/target_spec.h"

namespace hidet::session {

enum class RoofKind : std::uint8_t { Memory, Arithmetic };

struct Roof {
    RoofKind kind = RoofKind::Memory;
    std::string name;      // "memory", "f32", "f16 matrix units"
    double rate = 0;       // bytes or operations a second
    bool measured = false; // on this machine; else worked out from its clocks and its tables
};

struct RooflinePoint {
    std::string label;    // "matmul(f32[64, 80], f32[80, 96], f32[64, 96])"
    double intensity = 0; // FLOP/byte of its arguments
    double flops_per_second = 0;
};

struct Roofline {
    std::vector<Roof> roofs; // that count for the call, memory first; empty: those of the device are not known
    std::optional<RooflinePoint> point;
    std::string unknown;            // why there is no point: "a while loop"; empty where there is one
    std::optional<RoofKind> limits; // which roof is nearer to the call
    std::optional<double> reached;  // of the nearer roof, 0 to 1
};

struct BenchRow;
// Of the memory and of the units that the row uses: the peaks of the row, and what a plot draws.
void add_roofs(const artifact::TargetSpec& target, BenchRow& row);
// Fills how near its median comes to them.
void place_under_roof(BenchRow& row);
Roofline roofline_of(const BenchRow& row);

// Operations a second that the roofs allow at this intensity; nothing without roofs.
std::optional<double> attainable(const std::vector<Roof>& roofs, double intensity);

} // namespace hidet::session
