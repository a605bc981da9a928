// SPDX-License-Identifier: Apache-2.0
// What a device can do at most, what work needs at least for that, and where a call lies under the roofs: the data of a roofline
// plot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/target_spec.h"
#include "compiler/perf/work.h"

namespace hidet::perf {

enum class RoofKind : std::uint8_t { Memory, Arithmetic };

struct Roof {
    RoofKind kind = RoofKind::Memory;
    std::string name;      // "memory", "f32", "f16 matrix units"
    double rate = 0;       // bytes or operations a second
    bool measured = false; // on this machine; else worked out from its clocks and its tables
};

// Operations a second that the roofs allow at this intensity; nothing without roofs.
std::optional<double> attainable(const std::vector<Roof>& roofs, double intensity);

struct DeviceRoofs { // a second; and what each launch takes at least
    std::string name = {};
    double flops = 0;        // f32
    double matrix_flops = 0; // of products of 16-bit floats with sums of f32; 0: as `flops`
    double bytes_per_second = 0;
    double launch_seconds = 0;
    bool is_measured = false; // on this machine; else known of the device, or usual for one of its kind
    double cache_bytes = 0;   // of the last cache, which all cores share
    double cache_bytes_per_second = 0;
};
// Nothing is measured here, so a document says the same every time. Of a device that does not tell: those of a usual one.
DeviceRoofs roofs_of(const artifact::TargetSpec& target);

// What is multiplied: matrix units take floats of 16 bits, and at half of that rate those of 32 that may be rounded to tf32.
enum class Factors : std::uint8_t { Plain, Tf32, Half };

// What a step asks for.
struct Need {
    double flops = 0, bytes = 0;
    std::size_t launches = 0;
    Factors factors = Factors::Plain;
    double cached = 0; // of the bytes: those that may be in the last cache, and come at its rate
};

// Of as many bytes as are touched between one use of a byte and the next: how many of them the cache may still have.
double cached_share(const DeviceRoofs& roofs, double touched);

enum class Bound : std::uint8_t { Memory, Arithmetic, Launches };
const char* bound_name(Bound bound); // "memory", "arithmetic", "launches"

// Whichever takes longest. What the device has no figure of takes no time.
struct LeastTime {
    double seconds = 0;
    Bound bound = Bound::Memory;
};
LeastTime least_time(const DeviceRoofs& roofs, const Need& need);

// Of a launch that does nothing but move bytes.
double moving_seconds(double bytes, const artifact::TargetSpec& target);

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

// The work of one call, and what the device can do of that.
struct RoofedWork {
    std::optional<double> flops;
    std::string flops_unknown;
    bool flops_at_most = false; // conditions counted as taken
    bool uses_matrix_units = false;
    std::string matrix_type; // of their operands: "f16"
    std::string sum_type;    // what its sums are rounded to: "f32"; empty: not known
    double bytes = 0;        // of the arguments that are read, plus those that are written
    double peak_flops = 0;   // a second, of the units that it uses; 0: not known
    double peak_bytes_per_second = 0;
    std::vector<Roof> roofs; // of the device, memory first
    // How far from the device's limits, 0 to 1: the greater of the times that its arithmetic and its memory need at least,
    // over the time that it takes. Nothing where the limits are not known.
    std::optional<double> roofline;
    bool is_memory_bound = false;
};
// What was counted, so many times.
void add_work(const WorkCount& work, double times, RoofedWork& out);
// Of the memory and of the units that it uses: the peaks, and what a plot draws.
void add_roofs(const artifact::TargetSpec& target, RoofedWork& out);
// Fills how near it comes to them.
void place_under_roof(double seconds, RoofedWork& out);
Roofline roofline_of(const RoofedWork& work, const std::string& label, double seconds);

} // namespace hidet::perf
