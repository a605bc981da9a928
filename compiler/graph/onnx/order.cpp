// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "compiler/graph/core/ready_order.h"
#include "compiler/graph/onnx/control.h"

namespace hidet::graph::onnx {

namespace {

using Names = std::unordered_set<std::string>;

// What the bodies of a node read from outside of them.
void add_captured(const GraphDef& body, const Names& outside, Names& found) {
    Names inside = outside;
    for (const ValueInfo& each : body.inputs)
        inside.insert(each.name);
    for (const Tensor& each : body.initializers)
        inside.insert(each.name);
    for (const Node& node : body.nodes)
        inside.insert(node.outputs.begin(), node.outputs.end());
    const auto read = [&](const std::string& name) {
        if (!name.empty() && !inside.contains(name))
            found.insert(name);
    };
    for (const Node& node : body.nodes) {
        for (const std::string& name : node.inputs)
            read(name);
        for (const Attribute& each : node.attributes)
            if (each.g)
                add_captured(*each.g, inside, found);
    }
    for (const ValueInfo& each : body.outputs)
        read(each.name);
}

Names read_by(const Node& node) {
    Names names(node.inputs.begin(), node.inputs.end());
    for (const Attribute& each : node.attributes)
        if (each.g)
            add_captured(*each.g, {}, names);
    names.erase("");
    return names;
}

} // namespace

std::string called(const Node& node) {
    return node.op_type + (node.name.empty() ? "" : " '" + node.name + "'");
}

std::vector<std::string> captured_names(const GraphDef& body) {
    Names found;
    add_captured(body, {}, found);
    std::vector<std::string> names(found.begin(), found.end());
    std::ranges::sort(names);
    return names;
}

std::vector<std::size_t> order_of(const std::vector<Node>& nodes, const Scope& scope) {
    std::unordered_map<std::string, std::size_t> producer;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        for (const std::string& output : nodes[i].outputs)
            if (!output.empty() && (!producer.emplace(output, i).second || scope.defines(output)))
                throw NodeError("'", output, "' is made twice, the second time by ", called(nodes[i]));
    std::vector<Arrow> arrows;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        for (const std::string& name : read_by(nodes[i])) {
            const auto made = producer.find(name);
            if (made != producer.end())
                arrows.push_back({made->second, i});
            else if (!scope.find(name))
                throw NodeError(called(nodes[i]), " reads '", name, "', which nothing makes");
        }
    std::vector<std::uint32_t> places(nodes.size());
    std::iota(places.begin(), places.end(), 0u);
    std::vector<std::size_t> order = ready_order(places, arrows);
    if (order.size() < nodes.size()) {
        std::vector<bool> runs(nodes.size());
        for (const std::size_t each : order)
            runs[each] = true;
        const auto first = static_cast<std::size_t>(std::ranges::find(runs, false) - runs.begin());
        throw NodeError("the graph has a cycle: ", called(nodes[first]), " waits for its own result");
    }
    return order;
}

} // namespace hidet::graph::onnx
