// SPDX-License-Identifier: Apache-2.0
// Network simplex: numbers y for the nodes of a graph so that y[head] - y[tail] >= length on every edge and the sum of
// weight * (y[head] - y[tail]) is least. Ranks and x coordinates of a layered drawing are both of this kind.
//
// Every step keeps y feasible and never makes the sum greater, so a search that is stopped has a usable answer.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace hidet::drawing {

inline constexpr std::uint32_t kNone = UINT32_MAX; // no node

struct SimplexEdge {
    std::uint32_t tail = 0;
    std::uint32_t head = 0;
    std::int64_t length = 0;
    std::int64_t weight = 0; // not negative
};

struct SimplexLimits {
    std::uint64_t work = UINT64_MAX; // nodes and edges that may be looked at
    const std::atomic<bool>* cancelled = nullptr;
};

// y is feasible on entry. True: it is the optimum.
bool minimise(std::span<const SimplexEdge> edges, std::vector<std::int64_t>& y, SimplexLimits limits = {});

} // namespace hidet::drawing
