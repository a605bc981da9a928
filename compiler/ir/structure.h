// SPDX-License-Identifier: Apache-2.0
// What follows from a node's list of fields: making, children, rebuilding, equality, hash.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>

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

// Calls visitor(const T&) for the node's own type, whatever its family.
template <class V>
decltype(auto) visit_node(const Node& node, V&& visitor) {
    switch (node.kind) {
#define HIDET_TYPE(name)                                                                                               \
    case Kind::name: return visitor(static_cast<const name&>(node));
#define HIDET_LAYOUT(name) HIDET_TYPE(name)
#define HIDET_MAPPING(name) HIDET_TYPE(name)
#define HIDET_EXPR(name) HIDET_TYPE(name)
#define HIDET_STMT(name) HIDET_TYPE(name)
#define HIDET_TOP(name)                                                                                                \
    case Kind::name: return visitor(static_cast<const name&>(node));
#include "compiler/ir/nodes.def"
    }
    internal_failure(__FILE__, __LINE__, "unknown node kind", "");
}

// Every child handle in field order, null ones included, the type of an expression only where it is a field.
template <class F>
void for_each_child(const Node& node, F&& f) {
    visit_node(node, [&](const auto& n) {
        std::decay_t<decltype(n)>::visit_fields(n, [&](const char*, const auto& field) {
            using Field = std::decay_t<decltype(field)>;
            if constexpr (NodeHandle<Field>)
                f(NodeRef(field));
            else if constexpr (is_node_vector<Field>::value)
                for (const auto& item : field)
                    f(NodeRef(item));
        });
    });
}

// Computes depth, size and (for expressions) the type, then freezes the node.
void finish(Node& node);
template <class T>
Ref<const T> make(T node) {
    finish(node);
    return make_ref<T>(std::move(node));
}

// The node with each child replaced by map(child); the same node when nothing changed. The result keeps the origin.
NodeRef map_children(const Node& node, const std::function<NodeRef(const NodeRef&)>& map);

// Equal up to a renaming of variables: Vars correspond by where they are first met. Origins do not count.
bool structural_equal(const NodeRef& a, const NodeRef& b);
std::size_t structural_hash(const NodeRef& node);

} // namespace hidet::ir
