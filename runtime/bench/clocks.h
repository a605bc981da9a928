// SPDX-License-Identifier: Apache-2.0
// What the clock of a GPU did while something was measured, and what that leaves of a verdict.
#pragma once

#include <string>
#include <vector>

namespace hidet::bench {

struct Clocks { // of its multiprocessors
    int lowest_mhz = 0, highest_mhz = 0;
    std::vector<std::string> slowed_by; // each once: "power limit", "temperature"
};

// Many readings as one: what is not known (0) says nothing.
void add(Clocks& all, int mhz, const std::vector<std::string>& slowed_by);

// "it was slowed down by: temperature"; empty: by nothing, or by its power limit alone, within which large products of matrices
// run as a rule.
std::string slowdown_text(const Clocks& clocks);
// "its clock was between 1410 and 1980 MHz"; empty: it was steady. Neighbours in turns are slowed alike, but less so what waits for
// memory, whose clock is another.
std::string change_text(const Clocks& clocks);
inline constexpr double steady_within = 0.1; // of the highest

} // namespace hidet::bench
