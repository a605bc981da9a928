// SPDX-License-Identifier: Apache-2.0
// Functions of hidet.ops that are made of operators which move elements, or combine them one by one. OpError as operators
// have it.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

// The extents along the axis sum up to that of x.
std::vector<ValueId> split(Graph& graph, ValueId x, const Shape& parts, std::int64_t axis = 0,
                           const NodeOrigin& origin = {});
// As many parts of one length; OpError unless the extent is a multiple, which a run checks of a symbol.
std::vector<ValueId> split_evenly(Graph& graph, ValueId x, std::int64_t sections, std::int64_t axis = 0,
                                  const NodeOrigin& origin = {});
ValueId transpose(Graph& graph, ValueId x, const Ints& axes = {},
                  const NodeOrigin& origin = {}); // none: the reverse order
ValueId expand_dims(Graph& graph, ValueId x, std::int64_t axis = 0, const NodeOrigin& origin = {});
// One tensor for each vector, of the shape that all of them span; "xy" exchanges the first two dimensions.
std::vector<ValueId> meshgrid(Graph& graph, const std::vector<ValueId>& vectors, const std::string& indexing = "ij",
                              const NodeOrigin& origin = {});
// The dimensions after batch and channels: one pad for all of them, one each, or those before all and then those after.
ValueId conv_pad(Graph& graph, ValueId x, const Ints& padding, double value = 0, const NodeOrigin& origin = {});

// log(exp(x) + exp(y)), without overflow.
ValueId logaddexp(Graph& graph, ValueId x, ValueId y, const NodeOrigin& origin = {});
ValueId relu6(Graph& graph, ValueId x, const NodeOrigin& origin = {});

} // namespace hidet::graph
