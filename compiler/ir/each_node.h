// SPDX-License-Identifier: Apache-2.0
// Looks at IR that need no class: lambdas that take nodes of the kinds of interest. What has to know where it is, or walks
// otherwise than through all children, derives from Walker (rewrite.h).
#pragma once

#include <functional>

#include "compiler/ir/structure.h"

namespace hidet::ir {

// Calls enter() for the node and for all that a Walker meets below it: variables where they are used, and the types of those
// that are defined. Below a node of which enter() is false it does not look.
void look_through(const Node& node, const std::function<bool(const Node&)>& enter);

template <class Result, class Visit, class T>
T visited_type(Result (Visit::*)(const T&) const); // what a lambda takes
template <class Visit>
using Visited = decltype(visited_type(&Visit::operator()));

// each_node(body, [&](const Call& call) {...}, [&](const Var& use) {...}): each for the nodes of its kind, before what is below
// them. One that says false leaves that out.
template <class... Visits>
void each_node(const NodeRef& root, const Visits&... visits) {
    const auto enters = [](const Node& node, const auto& visit) {
        using T = Visited<std::decay_t<decltype(visit)>>;
        if (node.kind != T::tag)
            return true;
        if constexpr (std::is_void_v<decltype(visit(static_cast<const T&>(node)))>) {
            visit(static_cast<const T&>(node));
            return true;
        } else {
            return visit(static_cast<const T&>(node));
        }
    };
    if (root)
        look_through(*root, [&](const Node& node) { return (enters(node, visits) && ...); });
}

// Whether one of them holds of some node of its kind.
template <class... Tests>
bool any_of_nodes(const NodeRef& root, const Tests&... tests) {
    const auto holds = [](const Node& node, const auto& test) {
        using T = Visited<std::decay_t<decltype(test)>>;
        return node.kind == T::tag && test(static_cast<const T&>(node));
    };
    bool found = false;
    if (root)
        look_through(*root, [&](const Node& node) {
            found = found || (holds(node, tests) || ...);
            return !found;
        });
    return found;
}

} // namespace hidet::ir
