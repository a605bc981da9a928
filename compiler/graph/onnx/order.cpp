// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_set>

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

std::string called(const Node& node) {
    return node.op_type + (node.name.empty() ? "" : " '" + node.name + "'");
}

} // namespace

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
                throw NodeError("'" + output + "' is made twice, the second time by " + called(nodes[i]));
    std::vector<std::vector<std::size_t>> readers(nodes.size());
    std::vector<std::size_t> missing(nodes.size(), 0);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        for (const std::string& name : read_by(nodes[i])) {
            const auto made = producer.find(name);
            if (made != producer.end()) {
                readers[made->second].push_back(i);
                ++missing[i];
            } else if (!scope.find(name)) {
                throw NodeError(called(nodes[i]) + " reads '" + name + "', which nothing makes");
            }
        }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (missing[i] == 0)
            ready.push(i);
    std::vector<std::size_t> order;
    while (!ready.empty()) {
        const std::size_t next = ready.top();
        ready.pop();
        order.push_back(next);
        for (std::size_t reader : readers[next])
            if (--missing[reader] == 0)
                ready.push(reader);
    }
    for (std::size_t i = 0; order.size() < nodes.size() && i < nodes.size(); ++i)
        if (missing[i] > 0)
            throw NodeError("the graph has a cycle: " + called(nodes[i]) + " waits for its own result");
    return order;
}

} // namespace hidet::graph::onnx
