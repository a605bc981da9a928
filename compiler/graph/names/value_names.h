// SPDX-License-Identifier: Apache-2.0
// Names for the values of a graph in its printed forms: those of the model where they say something, else x, x_1, ... for
// tensors and c, c_1, ... for constants.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

// Exporters number what has no name ("193", "onnx::Conv_193", "input.4", "add_5"). Such a name changes when something
// elsewhere in the model does, so it identifies nothing. "layer1.0.conv1.weight", "/block/Add_1_output_0" and "conv5_1" are
// names: their numbers count inside of something named.
bool is_lasting_name(std::string_view name);

class ValueNames {
public:
    explicit ValueNames(const Graph& graph, const std::vector<NodeId>& order);
    const std::string& of(ValueId id) const { return m_names[id.index]; }

private:
    std::vector<std::string> m_names; // by value
};

} // namespace hidet::graph
