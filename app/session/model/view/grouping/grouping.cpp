// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/grouping/grouping.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "app/session/model/view/grouping/group_tree.h"
#include "app/session/model/view/grouping/mixed.h"

namespace hidet::session::grouping {

using namespace graph;

namespace {

// Which module of the model every operator belongs to.
//
// "/encoder/layer.0/attention/MatMul" says it, and so does "encoder.layer.0.attention/node_12". Where operators have no such
// names, weights keep those of their modules ("encoder.layer.0.attention.weight"), so what reads such a weight is in that
// module. Any other operator is in the innermost module around the operators of known modules before and after it, or
// around all its producers if that says much more.
struct Scopes {
    struct Scope {
        std::uint32_t parent = 0;
        std::string name; // "layer.0"
    };
    std::vector<Scope> scopes;          // the first one is the model; parents come first
    std::vector<std::uint32_t> of_node; // by node id
    std::uint32_t common(std::uint32_t a, std::uint32_t b) const;
};

constexpr std::uint32_t kUnknown = UINT32_MAX;
constexpr std::size_t kDeepest = 32; // scopes within each other

bool is_number(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "/encoder/layer.0/attention/MatMul", "encoder.layer.0.attention/node_12" and "encoder.layer.0.attention.weight": encoder,
// layer.0, attention. What follows the last separator names the thing itself.
std::vector<std::string> path_of(std::string_view name, char separator) {
    const std::size_t last = name.rfind(separator);
    std::string_view rest = last == std::string_view::npos ? std::string_view() : name.substr(0, last);
    std::vector<std::string> parts;
    while (!rest.empty() && parts.size() < kDeepest) {
        const std::size_t end = rest.find_first_of("/.");
        const std::string_view part = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        if (part.empty())
            continue;
        if (is_number(part) && !parts.empty())
            parts.back() += "." + std::string(part);
        else
            parts.emplace_back(part);
    }
    return parts;
}

class Finder {
public:
    Finder(const Graph& graph, const std::vector<NodeId>& order) : m_graph(graph), m_order(order) {}

    Scopes find() {
        m_result.scopes.push_back({0, ""});
        m_result.of_node.assign(m_graph.node_slots(), kUnknown);
        for (NodeId id : m_order)
            m_result.of_node[id.index] = named(id);
        fill_between();
        return std::move(m_result);
    }

private:
    std::uint32_t enter(const std::vector<std::string>& path) {
        std::uint32_t scope = 0;
        for (const std::string& part : path) {
            const auto [known, is_new] =
                m_known.try_emplace({scope, part}, static_cast<std::uint32_t>(m_result.scopes.size()));
            if (is_new)
                m_result.scopes.push_back({scope, part});
            scope = known->second;
        }
        return scope;
    }
    std::uint32_t named(NodeId id) {
        const Node& node = m_graph.node(id);
        if (node.name.find('/') != std::string::npos)
            return enter(path_of(node.name, '/'));
        for (ValueId input : node.inputs) {
            if (!input.valid() || !m_graph.value(input).is_constant())
                continue;
            const std::string& name = m_graph.value(input).name;
            if (name.find('.') != std::string::npos && name.find("::") == std::string::npos)
                return enter(path_of(name, '.'));
        }
        return kUnknown;
    }

    // What is known of the last producer before, and of the first reader after, each from its nearest known operator.
    void fill_between() {
        const std::size_t count = m_order.size();
        std::vector<std::uint32_t> place(m_graph.node_slots(), 0);
        for (std::uint32_t i = 0; i < count; ++i)
            place[m_order[i].index] = i;
        std::vector<std::uint32_t> above(m_result.of_node), below(m_result.of_node);
        for (NodeId id : m_order) {
            if (above[id.index] != kUnknown)
                continue;
            std::uint32_t last = 0;
            for (ValueId input : m_graph.node(id).inputs) {
                if (!input.valid() || !m_graph.value(input).producer.valid())
                    continue;
                const NodeId from = m_graph.value(input).producer;
                if (above[from.index] != kUnknown && (above[id.index] == kUnknown || place[from.index] >= last)) {
                    last = place[from.index];
                    above[id.index] = above[from.index];
                }
            }
        }
        for (std::size_t i = count; i-- > 0;) {
            const NodeId id = m_order[i];
            if (below[id.index] != kUnknown)
                continue;
            std::uint32_t first = UINT32_MAX;
            for (ValueId output : m_graph.node(id).outputs)
                for (const Use& use : m_graph.value(output).uses)
                    if (below[use.node.index] != kUnknown && place[use.node.index] < first) {
                        first = place[use.node.index];
                        below[id.index] = below[use.node.index];
                    }
        }
        for (NodeId id : m_order) {
            std::uint32_t& scope = m_result.of_node[id.index];
            if (scope != kUnknown)
                continue;
            const std::uint32_t a = above[id.index], b = below[id.index];
            const std::uint32_t between = a == kUnknown || b == kUnknown ? 0 : m_result.common(a, b);
            const std::uint32_t behind = around_producers(id);
            scope = between != 0 && depth(behind) <= depth(between) + 1 ? between : behind;
        }
    }
    std::uint32_t around_producers(NodeId id) const {
        std::uint32_t scope = kUnknown;
        for (ValueId input : m_graph.node(id).inputs) {
            if (!input.valid() || m_graph.value(input).is_constant())
                continue;
            if (!m_graph.value(input).producer.valid())
                return 0; // an input of the model
            const std::uint32_t other = m_result.of_node[m_graph.value(input).producer.index];
            scope = scope == kUnknown ? other : m_result.common(scope, other);
        }
        return scope == kUnknown ? 0 : scope;
    }
    std::size_t depth(std::uint32_t scope) const {
        std::size_t count = 0;
        for (; scope != 0; scope = m_result.scopes[scope].parent)
            ++count;
        return count;
    }

    const Graph& m_graph;
    const std::vector<NodeId>& m_order;
    Scopes m_result;
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> m_known;
};

std::uint32_t Scopes::common(std::uint32_t a, std::uint32_t b) const {
    while (a != b) // parents have smaller numbers
        (a > b ? a : b) = scopes[std::max(a, b)].parent;
    return a;
}

Scopes scopes_of(const Graph& graph, const std::vector<NodeId>& order) {
    return Finder(graph, order).find();
}

constexpr std::uint32_t kNone = UINT32_MAX;

class Viewer {
public:
    Viewer(const Graph& graph, const Partition* partition, const ModelViewOptions& options)
        : m_graph(graph), m_partition(partition), m_options(options), m_order(graph.topological()) {}

    ModelView view() {
        make_boxes();
        make_groups();
        drop_thin(0);
        if (m_options.has_repeats)
            fold_repeats(m_tree, m_reads);
        if (m_options.most_children > 0)
            split_large(m_tree, m_reads, m_options.most_children);
        emit();
        return std::move(m_view);
    }

private:
    // ---- boxes -------------------------------------------------------------------------------------------------------

    void make_boxes() {
        m_makers.assign(m_graph.value_slots(), {kNone, 0});
        for (std::size_t i = 0; i < m_graph.inputs.size(); ++i) {
            const ValueId input = m_graph.inputs[i];
            const Value& value = m_graph.value(input);
            const std::string number = m_graph.inputs.size() > 1 ? cat("input ", i) : "input";
            add_box(
                {BoxKind::Input, {}, input, value.shown_name().empty() ? number : value.shown_name(), {}, {}, {input}},
                mixed(mixed(2, text_of(value.spec)), "input"));
        }
        for (NodeId id : m_order)
            add_operator(id);
        for (ValueId output : m_graph.outputs()) {
            const Value& value = m_graph.value(output);
            add_box({BoxKind::Output, {}, output, value.name.empty() ? "output" : value.name, {}, {output}, {}},
                    mixed(mixed(3, text_of(value.spec)), "output"));
        }
    }
    void add_operator(NodeId id) {
        const Node& node = m_graph.node(id);
        ModelBox box{BoxKind::Operator, id, {}, node.op->name, {}, {}, node.outputs};
        std::uint64_t shape = mixed(1, node.op->name);
        for (const auto& [name, value] : node.attributes.items())
            shape = mixed(mixed(shape, name), text_of(value));
        for (ValueId input : node.inputs) {
            if (!input.valid())
                continue;
            const Value& value = m_graph.value(input);
            shape = mixed(shape, text_of(value.spec));
            (value.is_constant() ? box.chips : box.inputs).push_back(input);
        }
        add_box(std::move(box), shape);
    }
    void add_box(ModelBox box, std::uint64_t shape) {
        const std::uint32_t id = static_cast<std::uint32_t>(m_view.boxes.size());
        drawing::ViewNode node;
        node.key = key_of(box);
        node.size = {width_of(box.label), m_options.height};
        node.inputs = static_cast<std::uint32_t>(box.inputs.size());
        node.outputs = static_cast<std::uint32_t>(box.outputs.size());
        std::vector<std::uint32_t>& reads = m_reads.emplace_back();
        for (std::uint32_t port = 0; port < box.inputs.size(); ++port) {
            const auto [maker, output] = m_makers[box.inputs[port].index];
            if (maker == kNone)
                continue; // an output that is a constant
            m_view.drawn.edges.push_back({maker, id, output, port});
            reads.push_back(maker);
        }
        if (box.kind != BoxKind::Output)
            for (std::uint32_t port = 0; port < box.outputs.size(); ++port)
                m_makers[box.outputs[port].index] = {id, port};
        m_tree.shapes.push_back(shape);
        m_view.boxes.push_back(std::move(box));
        m_view.drawn.nodes.push_back(node);
    }
    static drawing::Key key_of(const ModelBox& box) {
        return key_of_box(box.kind, box.kind == BoxKind::Operator ? box.node.index : box.value.index);
    }
    double width_of(std::string_view label) const {
        return m_options.margin + m_options.letter * static_cast<double>(std::clamp<std::size_t>(label.size(), 4, 32));
    }

    // ---- groups ------------------------------------------------------------------------------------------------------

    void make_groups() {
        m_tree.groups.push_back({});
        Scopes scopes;
        if (m_options.has_scopes)
            scopes = scopes_of(m_graph, m_order);
        std::vector<std::uint32_t> kernel(m_graph.node_slots(), kNone);
        for (std::uint32_t i = 0; m_partition && i < m_partition->groups.size(); ++i)
            add_kernel(i, scopes, kernel);
        std::vector<std::uint32_t> of_scope(std::max<std::size_t>(scopes.scopes.size(), 1), kNone);
        std::vector<std::uint32_t> of_kernel(m_partition ? m_partition->groups.size() : 0, kNone);
        of_scope[0] = 0;
        for (std::uint32_t i = 0; i < m_view.boxes.size(); ++i) {
            const ModelBox& box = m_view.boxes[i];
            std::uint32_t group = 0;
            if (box.kind == BoxKind::Operator) {
                group = m_options.has_scopes ? scope_group(scopes, scopes.of_node[box.node.index], of_scope) : 0;
                if (const std::uint32_t number = kernel[box.node.index]; number != kNone) {
                    if (of_kernel[number] == kNone)
                        of_kernel[number] = add_group(group, {BoxGroupKind::Kernel, kernel_name(number), 1, number},
                                                      " kernel " + std::to_string(box.node.index));
                    group = of_kernel[number];
                }
            }
            m_tree.groups[group].children.push_back({false, i});
        }
    }
    // All that shares a kernel is in one scope: the innermost around it.
    void add_kernel(std::uint32_t number, Scopes& scopes, std::vector<std::uint32_t>& kernel) const {
        const std::vector<NodeId>& nodes = m_partition->groups[number].nodes;
        if (nodes.size() < 2)
            return;
        for (NodeId id : nodes)
            kernel[id.index] = number;
        if (!m_options.has_scopes)
            return;
        std::uint32_t scope = scopes.of_node[nodes.front().index];
        for (NodeId id : nodes)
            scope = scopes.common(scope, scopes.of_node[id.index]);
        for (NodeId id : nodes)
            scopes.of_node[id.index] = scope;
    }
    std::string kernel_name(std::uint32_t number) const {
        const Group& group = m_partition->groups[number];
        return std::string("Fused") + m_graph.node(group.anchor).op->name;
    }
    std::uint32_t add_group(std::uint32_t parent, ModelGroup made, const std::string& name) {
        const std::uint32_t id = static_cast<std::uint32_t>(m_tree.groups.size());
        m_tree.groups.push_back({std::move(made), m_tree.groups[parent].path + "/" + name, {}});
        m_tree.groups[parent].children.push_back({true, id});
        return id;
    }
    std::uint32_t scope_group(const Scopes& scopes, std::uint32_t scope, std::vector<std::uint32_t>& of_scope) {
        std::vector<std::uint32_t> missing;
        while (of_scope[scope] == kNone) {
            missing.push_back(scope);
            scope = scopes.scopes[scope].parent;
        }
        std::uint32_t group = of_scope[scope];
        for (; !missing.empty(); missing.pop_back()) {
            const std::string& name = scopes.scopes[missing.back()].name;
            group = of_scope[missing.back()] = add_group(group, {BoxGroupKind::Scope, name, 1, 0}, name);
        }
        return group;
    }

    // A group with one child is that child.
    void drop_thin(std::uint32_t group) {
        for (std::size_t i = 0; i < m_tree.groups[group].children.size(); ++i) {
            const GroupTree::Child child = m_tree.groups[group].children[i];
            if (!child.is_group)
                continue;
            drop_thin(child.index);
            GroupTree::Group& inner = m_tree.groups[child.index];
            if (inner.children.size() != 1)
                continue;
            const GroupTree::Child only = inner.children.front();
            if (only.is_group && m_tree.groups[only.index].group.kind == BoxGroupKind::Scope)
                m_tree.groups[only.index].group.name = inner.group.name + "/" + m_tree.groups[only.index].group.name;
            m_tree.groups[group].children[i] = only;
        }
    }

    // ---- what is drawn -----------------------------------------------------------------------------------------------

    void emit() {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> pending{{0, 0}}; // of the tree, parent in the view
        while (!pending.empty()) {
            const auto [from, parent] = pending.back();
            pending.pop_back();
            const GroupTree::Group& group = m_tree.groups[from];
            const std::uint32_t id = static_cast<std::uint32_t>(m_view.groups.size());
            drawing::ViewGroup drawn;
            drawn.key = mixed(14, group.path);
            drawn.parent = parent;
            drawn.is_open = id == 0;
            drawn.closed = {width_of(group.group.name) + (group.group.count > 1 ? 4 * m_options.letter : 0),
                            m_options.height};
            drawn.header = {drawn.closed.width, id == 0 ? 0 : m_options.header};
            m_view.groups.push_back(group.group);
            m_view.drawn.groups.push_back(drawn);
            for (std::size_t i = group.children.size(); i-- > 0;)
                if (group.children[i].is_group)
                    pending.push_back({group.children[i].index, id});
                else
                    m_view.drawn.nodes[group.children[i].index].group = id;
        }
    }

    const Graph& m_graph;
    const Partition* m_partition;
    const ModelViewOptions& m_options;
    const std::vector<NodeId> m_order;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_makers; // box and port of every value
    std::vector<std::vector<std::uint32_t>> m_reads;               // boxes that each box reads
    GroupTree m_tree;
    ModelView m_view;
};

} // namespace

ModelView view_of(const Graph& graph, const Partition* partition, const ModelViewOptions& options) {
    return Viewer(graph, partition, options).view();
}

} // namespace hidet::session::grouping
