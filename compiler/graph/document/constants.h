// SPDX-License-Identifier: Apache-2.0
// What the constants of a graph are like, for who looks at a model: range, mean and a histogram of each.
#pragma once

#include <array>
#include <string>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

// Of a large constant as many elements are looked at as this, evenly spread.
inline constexpr std::int64_t most_looked_at = 65536;

struct ConstantFacts {
    std::int64_t count = 0;     // elements
    std::int64_t looked_at = 0; // of them; the rest of the figures are about these
    std::int64_t zeros = 0;
    std::int64_t not_finite = 0;
    double least = 0; // of those that are finite, as all that follows
    double greatest = 0;
    double mean = 0;
    double deviation = 0;
    std::array<std::int64_t, 16> histogram{}; // from the least to the greatest
};
ConstantFacts facts_of(const lang::Tensor& constant); // of numbers, with data

// A line for each different constant that nodes read and that is too large to stand in the document, as JSON.
std::string json_of_constants(const Graph& graph);

} // namespace hidet::graph
