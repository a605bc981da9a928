// SPDX-License-Identifier: Apache-2.0
// Operators that read one tensor on two ways, as one operator: a tensor with one reader can be an epilogue's.
#include "compiler/graph/passes/rules/rules.h"

namespace hidet::graph {

namespace {

struct Branch {
    ValueId x;
    std::string op; // empty: x itself
    Floats arguments;
};

// The attributes as numbers, in the order of the operator's parameters; nothing when one is something else.
std::optional<Floats> arguments_of(const Node& node) {
    Floats arguments;
    for (const Parameter& parameter : node.op->parameters) {
        if (parameter.is_tensor())
            continue;
        const Attribute* value = node.attributes.find(parameter.name);
        if (!value)
            break;
        if (const auto* real = std::get_if<double>(value))
            arguments.push_back(*real);
        else if (const auto* whole = std::get_if<std::int64_t>(value))
            arguments.push_back(static_cast<double>(*whole));
        else
            return std::nullopt;
    }
    return arguments.size() == node.attributes.items().size() ? std::optional(arguments) : std::nullopt;
}

// What a unary operator that keeps the type makes; it is read by the root alone.
std::optional<Branch> branch_of(const Rewriting& rewriting, ValueId value, NodeId root) {
    const NodeId id = rewriting.graph.value(value).producer;
    if (!id.valid() || !rewriting.only_reader(value, root))
        return std::nullopt;
    const Node& node = rewriting.graph.node(id);
    const bool is_unary = node.op->cls == OpClass::Elementwise && node.op->define && node.inputs.size() == 1 &&
                          !node.is_any_of({OpId::Cast, OpId::CompositeElementwise});
    if (!is_unary || rewriting.spec(value).dtype != rewriting.spec(node.inputs[0]).dtype ||
        !ir::is_float(rewriting.spec(value).dtype))
        return std::nullopt;
    auto arguments = arguments_of(node);
    if (!arguments)
        return std::nullopt;
    return Branch{node.inputs[0], node.op->name, std::move(*arguments)};
}

} // namespace

bool compose_branches(Rewriting& rewriting, NodeId root) {
    const ValueId a = rewriting.input(root, 0);
    const ValueId b = rewriting.input(root, 1);
    if (a == b)
        return false;
    auto left = branch_of(rewriting, a, root);
    auto right = branch_of(rewriting, b, root);
    if (!left || !right || left->x != right->x) {
        if (left && left->x != b)
            left.reset();
        if (left || (right && right->x != a))
            right.reset();
    }
    if (!left && !right)
        return false;
    const ValueId x = left ? left->x : right->x;
    const Branch none{x, {}, {}};
    const Branch& l = left ? *left : none;
    const Branch& r = right ? *right : none;
    return rewriting.becomes(root, rewriting.add(OpId::CompositeElementwise, {x},
                                                 {{"left_unary_op", l.op},
                                                  {"right_unary_op", r.op},
                                                  {"binary_op", std::string(rewriting.graph.node(root).op->name)},
                                                  {"left_arguments", l.arguments},
                                                  {"right_arguments", r.arguments}}));
}

} // namespace hidet::graph
