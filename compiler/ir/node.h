// SPDX-License-Identifier: Apache-2.0
// The base of all IR nodes: immutable values behind counted handles.
//
// A node is made once by make<T>(...), after which nobody changes it; a pass that changes something makes a new node and
// shares the rest. Var is the only node with identity (two Vars are never the same variable); every other node is its
// fields. Each struct lists its fields once, in visit_fields(), which hands all of them to one call; making, equality, hash,
// children and rebuilding come from that list (structure.h). The origin is not a field. depth and size are computed by
// make<T>() and let every recursive walk rely on a bound: make<T>() refuses to go over max_depth, and the builder of a script
// refuses trees above its node budget.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/base/origin.h"
#include "lang/base/ref.h"

namespace hidet::ir {

enum class Kind : std::uint8_t {
#define HIDET_NODE(name) name,
#include "compiler/ir/nodes.def"
};
const char* kind_name(Kind kind);

inline constexpr std::uint16_t max_depth = 1000; // walks stay within a thread's stack, sanitizers included

class Node : public RefCounted {
public:
    explicit Node(Kind kind) : kind(kind) {}
    Kind kind;
    std::uint16_t depth = 1; // longest path to a leaf
    std::uint32_t size = 1;  // nodes of the tree below, shared ones counted each time; saturates
    mutable Origin origin;   // set once, right after making; see set_origin()
};

struct Type : Node {
    using Node::Node;
};
struct Layout : Node {
    using Node::Node;
};
struct Mapping : Node {
    using Node::Node;
};
struct Expr : Node {
    using Node::Node;
    Ref<const Type> type; // set by make<T>(), never null
};
struct Stmt : Node {
    using Node::Node;
};
template <Kind kind_of_all, class Family>
struct NodeOf : Family { // what the struct of each kind derives from
    static constexpr Kind tag = kind_of_all;
    NodeOf() : Family(tag) {}
};

#define HIDET_NODE(name) struct name;
#include "compiler/ir/nodes.def"

using NodeRef = Ref<const Node>;
using TypeRef = Ref<const Type>;
using LayoutRef = Ref<const Layout>;
using MappingRef = Ref<const Mapping>;
using ExprRef = Ref<const Expr>;
using StmtRef = Ref<const Stmt>;
using VarRef = Ref<const Var>;
using FunctionRef = Ref<const Function>;
using ModuleRef = Ref<const Module>;
using ExprVec = std::vector<ExprRef>;
using VarVec = std::vector<VarRef>;
using StmtVec = std::vector<StmtRef>;

// as<Binary>(ref): the node as that struct, or null. Works on null handles.
template <class T, class N>
const T* as(const Ref<const N>& ref) {
    return ref && ref->kind == T::tag ? static_cast<const T*>(ref.get()) : nullptr;
}
template <class T, class N>
Ref<const T> cast(const Ref<const N>& ref) {
    return Ref<const T>(static_cast<const T*>(ref.get()));
}
template <class T>
Ref<const T> self(const T& node) { // the handle of a node one has by reference
    return Ref<const T>(&node);
}

// Gives the origin to the node and to every node below it that has none yet. A node keeps the origin it got first.
void set_origin(const NodeRef& node, Origin origin);

} // namespace hidet::ir
