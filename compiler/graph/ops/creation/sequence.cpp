// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/creation/sequence.h"

#include <cmath>

#include "compiler/graph/core/shape.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

constexpr double most = 1e12;

std::int64_t checked(double count, const std::string& what) {
    if (!(count <= most)) // NaN too
        throw OpError("a range " + what + " has no end in sight");
    return count > 0 ? static_cast<std::int64_t>(count) : 0;
}

} // namespace

std::int64_t sequence_length(double start, double stop, double step) {
    const std::string what = "from " + shortest(start) + " to " + shortest(stop) + " by " + shortest(step);
    if (step == 0)
        throw OpError("a range " + what + " does not move");
    return checked(std::ceil((stop - start) / step), what);
}

std::int64_t sequence_length(std::int64_t start, std::int64_t stop, std::int64_t step) {
    const std::string what =
        "from " + std::to_string(start) + " to " + std::to_string(stop) + " by " + std::to_string(step);
    if (step == 0)
        throw OpError("a range " + what + " does not move");
    if (step > 0 ? stop <= start : stop >= start)
        return 0;
    // Distances of i64 fit into u64.
    const auto u = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const std::uint64_t span = step > 0 ? u(stop) - u(start) : u(start) - u(stop);
    const std::uint64_t stride = step > 0 ? u(step) : 0 - u(step);
    return checked(static_cast<double>((span - 1) / stride + 1), what);
}

} // namespace hidet::graph
