// SPDX-License-Identifier: Apache-2.0
// The network simplex against all solutions of small problems.
#include "app/session/drawing/simplex.h"

#include "tests/unit/drawing/drawings.h"

#include <doctest/doctest.h>

using namespace hidet;
using namespace hidet::drawing;
using namespace hidet::test;

namespace {

using Numbers = std::vector<std::int64_t>;

bool is_feasible(const std::vector<SimplexEdge>& edges, const Numbers& y) {
    for (const SimplexEdge& edge : edges)
        if (y[edge.head] - y[edge.tail] < edge.length)
            return false;
    return true;
}
std::int64_t cost(const std::vector<SimplexEdge>& edges, const Numbers& y) {
    std::int64_t sum = 0;
    for (const SimplexEdge& edge : edges)
        sum += edge.weight * (y[edge.head] - y[edge.tail]);
    return sum;
}

// Of all y from 0 to `limit`.
std::int64_t least_cost(const std::vector<SimplexEdge>& edges, std::size_t nodes, std::int64_t limit) {
    Numbers y(nodes, 0);
    std::int64_t least = INT64_MAX;
    for (;;) {
        if (is_feasible(edges, y))
            least = std::min(least, cost(edges, y));
        std::size_t i = 0;
        while (i < nodes && y[i] == limit)
            y[i++] = 0;
        if (i == nodes)
            return least;
        ++y[i];
    }
}

// Edges lead from lower to higher numbers, so 0, 2, 4, ... is feasible for lengths up to 2.
std::vector<SimplexEdge> random_edges(Random& random, std::uint32_t nodes, std::uint32_t count) {
    std::vector<SimplexEdge> edges;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t head = 1 + random.below(nodes - 1), tail = random.below(head);
        edges.push_back(
            {tail, head, static_cast<std::int64_t>(random.below(3)), static_cast<std::int64_t>(random.below(4))});
    }
    return edges;
}
Numbers start(std::size_t nodes) {
    Numbers y;
    for (std::size_t i = 0; i < nodes; ++i)
        y.push_back(static_cast<std::int64_t>(2 * i));
    return y;
}

} // namespace

TEST_CASE("small problems are solved exactly") {
    Random random(7);
    for (int i = 0; i < 150; ++i) {
        const std::vector<SimplexEdge> edges = random_edges(random, 5, 3 + random.below(8));
        Numbers y = start(5);
        REQUIRE(minimise(edges, y));
        REQUIRE(is_feasible(edges, y));
        REQUIRE(cost(edges, y) == least_cost(edges, 5, 8));
    }
}

TEST_CASE("a search that is stopped leaves a feasible answer that is no worse") {
    Random random(11);
    for (std::uint64_t work = 0; work < 3000; work += 100) {
        const std::vector<SimplexEdge> edges = random_edges(random, 60, 150);
        Numbers y = start(60);
        const std::int64_t before = cost(edges, y);
        minimise(edges, y, {work});
        REQUIRE(is_feasible(edges, y));
        REQUIRE(cost(edges, y) <= before);
    }
}

TEST_CASE("nothing is the answer for nothing") {
    Numbers y;
    REQUIRE(minimise({}, y));
}
