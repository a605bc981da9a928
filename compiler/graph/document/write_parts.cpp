// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/document/write_parts.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "compiler/graph/document/costs.h"
#include "compiler/graph/document/json_pieces.h"
#include "compiler/graph/text/contents.h"
#include "lang/base/text.h"
#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(shortest(value));
}

Json json_of(const Shape& shape) {
    Json result = Json::array();
    for (const Dim& each : shape)
        result.push_back(json_of_dim(each));
    return result;
}

Json elements_of(const lang::Tensor& tensor) {
    Json result = Json::array();
    if (ir::is_float(tensor.dtype))
        for (double value : lang::read_doubles(tensor))
            result.push_back(number(value));
    else
        for (std::int64_t value : lang::read_integers(tensor))
            result.push_back(tensor.dtype == ir::DType::U64 ? Json(static_cast<std::uint64_t>(value)) : Json(value));
    return result;
}

Json json_of(const lang::TensorRef& data) {
    Json result = Json::object();
    if (!data || !data->has_data())
        return result;
    result["hash"] = content_hash(*data);
    if (data->count() <= most_inline_elements && lang::holds_numbers(data->dtype))
        result["elements"] = elements_of(*data);
    return result;
}

// Plain where JSON has the type, else an object that names it.
struct AttributeWriter {
    Json operator()(bool value) const { return value; }
    Json operator()(std::int64_t value) const { return value; }
    Json operator()(double value) const {
        return std::isfinite(value) ? Json(value) : Json{{"float", shortest(value)}};
    }
    Json operator()(const std::string& value) const { return value; }
    Json operator()(ir::DType value) const { return {{"dtype", ir::info(value).name}}; }
    Json operator()(const Ints& values) const { return {{"ints", values}}; }
    Json operator()(const Floats& values) const {
        Json items = Json::array();
        for (double value : values)
            items.push_back(number(value));
        return {{"floats", items}};
    }
    Json operator()(const Texts& values) const { return {{"texts", values}}; }
    Json operator()(const Shape& value) const { return {{"shape", json_of(value)}}; }
    Json operator()(const lang::TensorRef& value) const {
        Json result = json_of(value);
        result["dtype"] = ir::info(value->dtype).name;
        result["shape"] = value->shape;
        return {{"tensor", result}};
    }
    Json operator()(const std::shared_ptr<const Graph>& value) const {
        return {{"graph", Json::parse(json_of_graph(*value, NodeKeys(*value)))}};
    }
    // What a script defines is read back by running the script.
    Json operator()(const std::shared_ptr<const Task>& value) const { return {{"task", text_of(*value)}}; }
};

Json ids(const auto& list) {
    Json result = Json::array();
    for (const auto& id : list)
        result.push_back(id.index);
    return result;
}

// Live nodes by id, and the values that they or the graph's ends touch.
struct Extent {
    std::vector<NodeId> nodes;
    std::vector<ValueId> values;
};
Extent extent_of(const Graph& graph) {
    Extent extent;
    std::vector<bool> is_touched(graph.value_slots());
    const auto touch = [&](const std::vector<ValueId>& values) {
        for (ValueId value : values)
            is_touched[value.index] = true;
    };
    touch(graph.inputs);
    touch(graph.outputs());
    for (std::uint32_t i = 0; i < graph.node_slots(); ++i) {
        if (!graph.is_live({i}))
            continue;
        extent.nodes.push_back({i});
        touch(graph.node(NodeId{i}).inputs);
        touch(graph.node(NodeId{i}).outputs);
    }
    for (std::uint32_t i = 0; i < graph.value_slots(); ++i)
        if (is_touched[i])
            extent.values.push_back({i});
    return extent;
}

} // namespace

std::string json_of_node(const Graph& graph, NodeId id, const NodeKeys& keys, const SourceMap* sources) {
    const Node& node = graph.node(id);
    Json json = {{"id", id.index},
                 {"key", keys.of(id)},
                 {"op", node.op->name},
                 {"inputs", ids(node.inputs)},
                 {"outputs", ids(node.outputs)}};
    Json attributes = Json::object();
    for (const auto& [name, value] : node.attributes.items())
        attributes[name] = std::visit(AttributeWriter{}, value);
    if (!attributes.empty())
        json["attributes"] = std::move(attributes);
    if (!node.name.empty())
        json["name"] = node.name;
    if (sources && sources->holds(node.site)) {
        const SourceFile& file = sources->file(node.site.file);
        json["site"] = {{"file", file.name()}, {"line", file.position(node.site.begin).line}};
    }
    if (!node.rule.empty()) {
        json["rule"] = node.rule;
        json["replaces"] = ids(node.replaces);
    }
    const NodeCost cost = cost_of(graph, id);
    json["flops"] = json_of_dim(cost.flops);
    json["bytes"] = json_of_dim(cost.bytes);
    return compact(json);
}

std::string json_of_value(const Graph& graph, ValueId id) {
    const Value& value = graph.value(id);
    Json json = {{"id", id.index}};
    if (!value.name.empty())
        json["name"] = value.name;
    if (!value.called.empty())
        json["called"] = value.called;
    json["dtype"] = ir::info(value.spec.dtype).name;
    json["shape"] = json_of(value.spec.shape);
    if (value.device == Device::Cuda)
        json["device"] = "cuda";
    if (value.is_constant())
        json["constant"] = json_of(value.data);
    return compact(json);
}

std::string json_list(const std::vector<std::string>& lines) {
    return lines.empty() ? "[]" : "[\n" + join(lines, ",\n") + "\n]";
}

std::string json_of_blockers(const std::vector<Blocker>& blockers, const NodeKeys& keys) {
    std::vector<std::string> lines = transformed(blockers, [&](const Blocker& blocker) {
        return compact({{"producer", blocker.producer.index},
                        {"consumer", blocker.consumer.index},
                        {"value", blocker.value.index},
                        {"keys", {keys.of(blocker.producer), keys.of(blocker.consumer)}},
                        {"reason", blocker_id(blocker.reason)},
                        {"text", blocker.text}});
    });
    return json_list(lines);
}

std::string json_of_graph(const Graph& graph, const NodeKeys& keys, const SourceMap* sources) {
    const Extent extent = extent_of(graph);
    std::vector<std::string> values =
        transformed(extent.values, [&](ValueId value) { return json_of_value(graph, value); });
    std::vector<std::string> nodes =
        transformed(extent.nodes, [&](NodeId node) { return json_of_node(graph, node, keys, sources); });
    return "{\n\"name\": " + compact(graph.name) + ",\n\"inputs\": " + json_ids(graph.inputs) +
           ",\n\"outputs\": " + json_ids(graph.outputs()) + ",\n\"values\": " + json_list(values) +
           ",\n\"nodes\": " + json_list(nodes) + "\n}";
}

} // namespace hidet::graph
