// SPDX-License-Identifier: Apache-2.0
// Normalising layers, made of Normalize and element-wise operators. Scales and biases may be left out.
#pragma once

#include <optional>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

// x [n, c, ...]; the others [c].
ValueId batch_norm_infer(Graph& graph, ValueId x, ValueId mean, ValueId variance, std::optional<ValueId> scale,
                         std::optional<ValueId> bias, double epsilon, const NodeOrigin& origin = {});
// Over the last `dims` dimensions; scale and bias broadcast to x.
ValueId layer_norm(Graph& graph, ValueId x, std::int64_t dims, std::optional<ValueId> scale,
                   std::optional<ValueId> bias, double epsilon, const NodeOrigin& origin = {});
ValueId rms_norm(Graph& graph, ValueId x, std::int64_t dims, std::optional<ValueId> scale, double epsilon,
                 const NodeOrigin& origin = {});
// x [n, c, ...], scale and bias [c].
ValueId instance_norm(Graph& graph, ValueId x, std::optional<ValueId> scale, std::optional<ValueId> bias,
                      double epsilon, const NodeOrigin& origin = {});
ValueId group_norm(Graph& graph, ValueId x, std::int64_t groups, std::optional<ValueId> scale,
                   std::optional<ValueId> bias, double epsilon, const NodeOrigin& origin = {});

// A value [c] as [1, c, 1, ...] for a tensor of `rank` dimensions.
ValueId per_channel(Graph& graph, ValueId value, std::size_t rank, const NodeOrigin& origin = {});

} // namespace hidet::graph
