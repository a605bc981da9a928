// SPDX-License-Identifier: GPL-3.0-only
#include "tests/ui/graph/graph_fixture.h"

#include <random>

namespace hidet::ui::test {

using session::BoxGroupKind;
using session::BoxKind;
using session::OpFamily;

PicturePtr MadeGraph::picture(const QSet<GraphKey>& open, const std::shared_ptr<LayoutStore>& store,
                              const GraphMetrics& metrics) const {
    const std::atomic<bool> cancelled = false;
    return makePicture({graph, boxes, {}, open, metrics, store ? store : std::make_shared<LayoutStore>(), nullptr},
                       cancelled);
}

PicturePtr MadeGraph::opened(const GraphMetrics& metrics) const {
    return picture(QSet<GraphKey>(groups.begin(), groups.end()), {}, metrics);
}

GraphMaker::GraphMaker() {
    m_boxes->groups.push_back({});
    m_boxes->drawn.groups.push_back({1, 0, true, {}, {}});
}

quint32 GraphMaker::addValue(session::GraphValue value) {
    value.id = quint32(m_values.size());
    if (value.dtype.empty())
        value.dtype = "float32";
    m_values.push_back(std::make_shared<session::GraphValue>(std::move(value)));
    m_from.emplace_back(session::no_id, 0);
    return m_values.back()->id;
}

quint32 GraphMaker::input(const std::string& name, const std::string& shape) {
    session::GraphValue value;
    value.name = name;
    value.shape = shape;
    value.is_input = true;
    const quint32 id = addValue(std::move(value));
    m_graph->inputs.push_back(id);
    m_from[id] = {quint32(m_boxes->boxes.size()), 0};
    m_boxes->drawn.nodes.push_back({2000000 + GraphKey(id), {}, 0, 1, m_group});
    m_boxes->boxes.push_back({BoxKind::Input, session::no_id, id, name, {}, {}, {id}});
    return id;
}

quint32 GraphMaker::constant(const std::string& name, const std::string& shape, const std::string& contents) {
    session::GraphValue value;
    value.name = name;
    value.shape = shape;
    value.is_constant = true;
    value.contents = contents;
    return addValue(std::move(value));
}

void GraphMaker::connect(quint32 value, quint32 box, quint32 port) {
    m_boxes->drawn.edges.push_back({m_from[value].first, box, m_from[value].second, port});
}

quint32 GraphMaker::node(const std::string& op, OpFamily family, const std::string& name,
                         const std::vector<quint32>& inputs, const std::string& shape, quint32 outputs) {
    auto node = std::make_shared<session::GraphNode>();
    node->id = m_lastNode = quint32(m_nodes.size());
    node->name = node->key = name;
    node->op = op;
    node->family = family;
    node->inputs = inputs;
    const quint32 place = quint32(m_boxes->boxes.size());
    session::GraphBox box{BoxKind::Operator, node->id, session::no_id, op, {}, {}, {}};
    for (quint32 value : inputs) {
        if (m_values[value]->consumers.empty() || m_values[value]->consumers.back() != node->id)
            m_values[value]->consumers.push_back(node->id);
        if (m_values[value]->is_constant) {
            box.chips.push_back(value);
            continue;
        }
        connect(value, place, quint32(box.inputs.size()));
        box.inputs.push_back(value);
    }
    for (quint32 i = 0; i < outputs; ++i) {
        session::GraphValue value;
        value.name = name + "_output_" + std::to_string(i);
        value.shape = shape;
        value.producer = node->id;
        const quint32 id = addValue(std::move(value));
        m_from[id] = {place, i};
        node->outputs.push_back(id);
        box.outputs.push_back(id);
    }
    m_boxes->box_of_node[node->id] = place;
    m_boxes->drawn.nodes.push_back(
        {1000000 + GraphKey(node->id), {}, std::max<quint32>(1, quint32(box.inputs.size())), outputs, m_group});
    for (quint32 at = m_group;; at = m_boxes->drawn.groups[at].parent) {
        ++m_boxes->groups[at].boxes;
        if (at == 0)
            break;
    }
    const quint32 first = box.outputs.empty() ? session::no_id : box.outputs.front();
    m_boxes->boxes.push_back(std::move(box));
    m_nodes.push_back(std::move(node));
    return first;
}

void GraphMaker::attribute(const std::string& name, const std::string& value) {
    m_nodes.back()->attributes.emplace_back(name, value);
}

void GraphMaker::output(quint32 value, const std::string& name) {
    m_values[value]->is_output = true;
    m_graph->outputs.push_back(value);
    const quint32 place = quint32(m_boxes->boxes.size());
    connect(value, place, 0);
    m_boxes->drawn.nodes.push_back({3000000 + GraphKey(value), {}, 1, 0, m_group});
    m_boxes->boxes.push_back({BoxKind::Output, session::no_id, value, name, {}, {value}, {}});
}

void GraphMaker::refuse(quint32 value, quint32 consumer, const std::string& text) {
    m_graph->blockers.push_back({m_values[value]->producer, consumer, value, "reads-elsewhere", text, text, false});
}

void GraphMaker::enter(const std::string& name, BoxGroupKind kind, quint32 count) {
    const quint32 place = quint32(m_boxes->groups.size());
    m_boxes->groups.push_back({kind, name, count, session::no_id, 0});
    m_boxes->drawn.groups.push_back({4000000 + GraphKey(place), m_group, false, {}, {}});
    if (kind == BoxGroupKind::Kernel) {
        m_boxes->groups.back().kernel = quint32(m_graph->kernels.size());
        m_graph->kernels.push_back({});
    }
    m_group = place;
}

void GraphMaker::leave() {
    m_group = m_boxes->drawn.groups[m_group].parent;
}

MadeGraph GraphMaker::finish() {
    for (const auto& value : m_values)
        m_graph->values.push_back(value);
    for (const auto& node : m_nodes)
        m_graph->nodes.push_back(node);
    MadeGraph made{m_graph, m_boxes, {}};
    for (std::size_t i = 1; i < m_boxes->drawn.groups.size(); ++i)
        made.groups.push_back(m_boxes->drawn.groups[i].key);
    return made;
}

namespace {

quint32 convolution(GraphMaker& maker, const std::string& name, quint32 from, const std::string& shape, int size) {
    const std::string window = std::to_string(size) + ", " + std::to_string(size);
    const quint32 weight = maker.constant(name + ".weight", "[64, 64, " + window + "]");
    const quint32 out = maker.node("conv2d", OpFamily::Convolution, name, {from, weight}, shape);
    maker.attribute("stride", size == 7 ? "[2, 2]" : "[1, 1]");
    maker.attribute("padding", "[" + std::to_string(size / 2) + ", " + std::to_string(size / 2) + "]");
    return out;
}

} // namespace

MadeGraph residualNetwork(int stages, int blocks) {
    GraphMaker maker;
    quint32 x = maker.input("input", "[1, 3, 224, 224]");
    x = convolution(maker, "conv1", x, "[1, 64, 112, 112]", 7);
    x = maker.node("relu", OpFamily::Activation, "relu", {x}, "[1, 64, 112, 112]");
    x = maker.node("max_pool2d", OpFamily::Pooling, "maxpool", {x}, "[1, 64, 56, 56]");
    maker.attribute("kernel", "[3, 3]");
    for (int stage = 1; stage <= stages; ++stage) {
        const std::string shape = "[1, " + std::to_string(64 << stage) + ", 56, 56]";
        maker.enter("layer" + std::to_string(stage), BoxGroupKind::Repeat, quint32(blocks));
        for (int block = 0; block < blocks; ++block) {
            const std::string name = "layer" + std::to_string(stage) + "." + std::to_string(block);
            maker.enter(std::to_string(block), BoxGroupKind::Block);
            quint32 y = x;
            for (int i = 1; i <= 3; ++i) {
                y = convolution(maker, name + ".conv" + std::to_string(i), y, shape, i == 2 ? 3 : 1);
                if (i < 3)
                    y = maker.node("relu", OpFamily::Activation, name + ".relu" + std::to_string(i), {y}, shape);
            }
            if (block == 0)
                x = convolution(maker, name + ".downsample", x, shape, 1);
            y = maker.node("add", OpFamily::Elementwise, name + ".add", {y, x}, shape);
            maker.refuse(x, maker.last(), "the output of " + name + ".conv3 is read elsewhere");
            x = maker.node("relu", OpFamily::Activation, name + ".relu", {y}, shape);
            maker.leave();
        }
        maker.leave();
    }
    x = maker.node("global_avg_pool", OpFamily::Reduction, "avgpool", {x}, "[1, 2048, 1, 1]");
    x = maker.node("matmul", OpFamily::MatrixProduct, "fc", {x, maker.constant("fc.weight", "[2048, 1000]")},
                   "[1, 1000]");
    maker.output(x, "logits");
    return maker.finish();
}

MadeGraph transformer(int layers, bool isNested, bool hasMask) {
    GraphMaker maker;
    const std::string shape = "[1, 128, 768]", heads = "[1, 12, 128, 64]", scores = "[1, 12, 128, 128]";
    quint32 x = maker.input("hidden_states", shape);
    const quint32 mask = hasMask ? maker.input("attention_mask", "[1, 1, 1, 128]") : session::no_id;
    if (isNested)
        maker.enter("encoder");
    for (int layer = 0; layer < layers; ++layer) {
        const std::string name = "layer." + std::to_string(layer);
        const auto scope = [&](const std::string& part) {
            if (isNested)
                maker.enter(part);
        };
        const auto end = [&] {
            if (isNested)
                maker.leave();
        };
        const auto linear = [&](const std::string& part, quint32 from, const std::string& to) {
            return maker.node("matmul", OpFamily::MatrixProduct, name + part,
                              {from, maker.constant(name + part + ".weight", "[768, 768]")}, to);
        };
        scope(name);
        scope("attention");
        quint32 parts[3];
        for (int i = 0; i < 3; ++i) {
            const std::string part = i == 0 ? ".query" : i == 1 ? ".key" : ".value";
            const quint32 y = linear(part, x, shape);
            parts[i] = maker.node("reshape", OpFamily::Movement, name + part + ".split", {y}, heads);
        }
        quint32 y = maker.node("matmul", OpFamily::MatrixProduct, name + ".scores", {parts[0], parts[1]}, scores);
        if (hasMask)
            y = maker.node("add", OpFamily::Elementwise, name + ".mask", {y, mask}, scores);
        y = maker.node("softmax", OpFamily::Normalisation, name + ".softmax", {y}, scores);
        y = maker.node("matmul", OpFamily::MatrixProduct, name + ".context", {y, parts[2]}, heads);
        y = linear(".output", y, shape);
        end();
        x = maker.node("add", OpFamily::Elementwise, name + ".add1", {y, x}, shape);
        x = maker.node(
            "layer_norm", OpFamily::Normalisation, name + ".norm1",
            {x, maker.constant(name + ".norm1.weight", "[768]"), maker.constant(name + ".norm1.bias", "[768]")}, shape);
        scope("feed_forward");
        y = linear(".up", x, "[1, 128, 3072]");
        y = maker.node("gelu", OpFamily::Activation, name + ".gelu", {y}, "[1, 128, 3072]");
        y = linear(".down", y, shape);
        end();
        x = maker.node("add", OpFamily::Elementwise, name + ".add2", {y, x}, shape);
        end();
    }
    if (isNested)
        maker.leave();
    maker.output(x, "last_hidden_state");
    return maker.finish();
}

MadeGraph mixedGraph(quint64 seed, int nodes) {
    std::mt19937_64 random(seed);
    const auto below = [&](quint64 count) { return random() % count; };
    GraphMaker maker;
    std::vector<quint32> values = {maker.input("a", "[16]"), maker.input("b", "[16, 16]")};
    int depth = 0;
    for (int i = 0; i < nodes; ++i) {
        if (below(6) == 0 && depth < 3) {
            maker.enter("part" + std::to_string(i));
            ++depth;
        } else if (below(6) == 0 && depth > 0) {
            maker.leave();
            --depth;
        }
        std::vector<quint32> inputs;
        for (quint64 k = below(3) + 1; k-- > 0;)
            inputs.push_back(below(8) == 0 ? values[below(2)]
                                           : values[values.size() - 1 - below(std::min<quint64>(values.size(), 12))]);
        if (below(4) == 0)
            inputs.push_back(maker.constant("constant_with_a_long_name_" + std::to_string(i), "[16, 16, 3, 3]"));
        const quint32 outputs = 1 + quint32(below(5) == 0 ? 1 + below(3) : 0);
        const std::string op =
            i % 7 == 0 ? "an_operator_with_a_name_that_is_much_too_long_for_a_box" : "op" + std::to_string(i % 9);
        const quint32 first =
            maker.node(op, OpFamily(i % 12), "node" + std::to_string(i), inputs, "[16, 16, 3]", outputs);
        for (quint32 k = 0; k < outputs; ++k)
            values.push_back(first + k);
    }
    while (depth-- > 0)
        maker.leave();
    maker.output(values.back(), "y");
    return maker.finish();
}

} // namespace hidet::ui::test
