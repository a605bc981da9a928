// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

// By the operator for the number of spatial dimensions, plus a bias [out channels]. Attributes: stride, padding,
// dilations, groups; of a transposed one output_padding too.
ValueId convolution(Graph& graph, ValueId x, ValueId w, std::optional<ValueId> bias, Attributes attributes,
                    const NodeOrigin& origin = {});
ValueId transposed_convolution(Graph& graph, ValueId x, ValueId w, std::optional<ValueId> bias, Attributes attributes,
                               const NodeOrigin& origin = {});

} // namespace hidet::graph
