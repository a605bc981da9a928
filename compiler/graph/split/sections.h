// SPDX-License-Identifier: Apache-2.0
// Values that were computed as one and are taken apart: queries, keys and values of one product.
#pragma once

#include <map>

#include "compiler/graph/split/placement.h"

namespace hidet::graph {

struct Sectioned {
    std::size_t axis = 0;
    Sections sections;
};

// Of what slices take from a value, and of what that is computed from. Each section has equal parts for so many processes.
std::map<ValueId, Sectioned> sections_of(const Graph& graph, std::int64_t count);

Shape extents_of(const Node& node, const char* attribute);

// The axes that a slice takes a part of, or turns around: of others it names it takes everything.
Ints cut_axes(const Graph& graph, const Node& slice);

// A slice that cuts one axis; nothing: it is another one.
struct OneSlice {
    std::size_t axis = 0;
    std::int64_t start = 0, end = 0;
    std::size_t row = 0; // of its attributes
};
std::optional<OneSlice> one_slice_of(const Graph& graph, const Node& slice);

// What they are where that axis has another extent, as a reshape gives it; nothing: it does not cut at their bounds.
std::optional<Sections> scaled(const Sections& sections, std::int64_t from, std::int64_t to);

} // namespace hidet::graph
