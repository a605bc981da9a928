// SPDX-License-Identifier: Apache-2.0
// What follows from a node's list of fields: making, children, rebuilding, equality, hash.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "compiler/ir/func.h"
#include "lang/base/check.h"

namespace hidet::ir {

template <class T>
concept NodeHandle = requires(T t) {
    { t.get() } -> std::convertible_to<const Node*>;
};
template <class T>
struct is_node_vector : std::false_type {};
template <class T>
struct is_node_vector<std::vector<Ref<const T>>> : std::bool_constant<std::is_base_of_v<Node, T>> {};

// One function per kind, not inlined: a walk recurses through it, and the frame of a function that holds every kind's code
// would be as large as all of theirs together.
template <class T, class V>
[[gnu::noinline]] decltype(auto) visit_as(const Node& node, V& visitor) {
    return visitor(static_cast<const T&>(node));
}

// Calls visitor(const T&) for the node's own type, whatever its family.
template <class V>
decltype(auto) visit_node(const Node& node, V&& visitor) {
    switch (node.kind) {
// clang-format off
#define HIDET_NODE(name) \
    case Kind::name: return visit_as<name>(node, visitor);
// clang-format on
#include "compiler/ir/nodes.def"
    }
    internal_failure(__FILE__, __LINE__, "unknown node kind", "");
}

// Calls f(field) for every field, in their order.
template <class T, class F>
void for_each_field(T& node, F&& f) {
    T::visit_fields(node, [&](auto&... fields) { (f(fields), ...); });
}

// for_each_child() where the type of the node is known.
template <class T, class F>
void for_each_child_of(const T& node, F&& f) {
    for_each_field(node, [&](const auto& field) {
        using Field = std::decay_t<decltype(field)>;
        if constexpr (NodeHandle<Field>)
            f(static_cast<const Node*>(field.get()));
        else if constexpr (is_node_vector<Field>::value)
            for (const auto& item : field)
                f(static_cast<const Node*>(item.get()));
    });
}

// Calls f(const Node* child) for every child in field order, null ones included; the type of an expression is a child only
// where it is a field. Handles are intrusive: NodeRef(child) makes one where it is needed.
template <class F>
void for_each_child(const Node& node, F&& f) {
    visit_node(node, [&](const auto& typed) { for_each_child_of(typed, f); });
}

// How many of the node's first children are Vars that it defines (Declare, For, ForMapping, Let, Function, Module). Any
// other Var is a use, the one of an Assign included.
template <class T>
std::uint32_t definition_count_of(const T& node) {
    if constexpr (std::is_same_v<T, Let> || std::is_same_v<T, DeclareStmt> || std::is_same_v<T, ForStmt>)
        return 1;
    else if constexpr (std::is_same_v<T, ForMappingStmt>)
        return static_cast<std::uint32_t>(node.vars.size());
    else if constexpr (std::is_same_v<T, Function>)
        return static_cast<std::uint32_t>(node.params.size());
    else if constexpr (std::is_same_v<T, Module>)
        return static_cast<std::uint32_t>(node.globals.size() + node.externs.size());
    else
        return 0;
}

// A copy of the node in which the children at these places (counted as for_each_child does, ascending) are others. A
// statement that became null vanishes from its Seq and is an empty Seq where a body is needed; Seqs stay flat.
class ChildChanges {
public:
    using Change = std::pair<std::uint32_t, NodeRef>;
    void add(std::uint32_t index, NodeRef child) {
        if (m_count < inline_count)
            m_first[m_count] = {index, std::move(child)};
        else
            m_rest.emplace_back(index, std::move(child));
        ++m_count;
    }
    bool empty() const { return m_count == 0; }
    std::size_t size() const { return m_count; }
    Change& operator[](std::size_t i) { return i < inline_count ? m_first[i] : m_rest[i - inline_count]; }

private:
    static constexpr std::size_t inline_count = 3; // an expression has hardly more children
    Change m_first[inline_count];
    std::vector<Change> m_rest;
    std::size_t m_count = 0;
};
NodeRef with_changed_children(const Node& node, ChildChanges changes);

// Computes the type (of expressions), depth and size, after which the node is frozen.
void infer_type(Expr& expr);
void set_extent(Node& node, std::uint32_t child_depth, std::uint64_t child_size);
template <class T>
Ref<const T> make(T node) {
    if constexpr (std::is_base_of_v<Expr, T>)
        infer_type(node); // first, because the type is a child of some: a node has one size, however it was made
    std::uint32_t depth = 0;
    std::uint64_t size = 0;
    for_each_child_of(node, [&](const Node* child) {
        if (!child)
            return;
        depth = depth < child->depth ? child->depth : depth;
        size += child->size;
    });
    set_extent(node, depth, size);
    return make_ref<T>(std::move(node));
}
// Of all its fields, in their order.
template <class T, class... Values>
Ref<const T> make_node(Values&&... values) {
    T node;
    T::visit_fields(node, [&](auto&... fields) { ((fields = std::forward<Values>(values)), ...); });
    return make<T>(std::move(node));
}

// Whether is(const Node&) holds of the node or of one below it. Variables are asked, their types are not gone into.
template <class F>
bool any_node(const Node& node, const F& is) {
    if (is(node))
        return true;
    bool found = false;
    if (node.kind != Kind::Var)
        for_each_child(node, [&](const Node* child) { found = found || (child && any_node(*child, is)); });
    return found;
}

// Equal up to a renaming of variables: Vars correspond by where they are first met. Origins do not count.
bool structural_equal(const NodeRef& a, const NodeRef& b);
std::size_t structural_hash(const NodeRef& node);

} // namespace hidet::ir
