// SPDX-License-Identifier: Apache-2.0
// How many elements start, start + step, ... has before it reaches stop.
#pragma once

#include <cstdint>

namespace hidet::graph {

// Zero when it never starts; OpError for a step of 0, a NaN or more elements than memory could hold.
std::int64_t sequence_length(double start, double stop, double step);
std::int64_t sequence_length(std::int64_t start, std::int64_t stop, std::int64_t step);

} // namespace hidet::graph
