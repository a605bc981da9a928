// SPDX-License-Identifier: Apache-2.0
// The two ways to walk IR: derive from Walker to look, from Rewriter to change. Override visit() for the kinds of interest
// (with `using Walker::visit;`); the defaults go through all children and, in a Rewriter, preserve identity.
#pragma once

#include <unordered_map>

#include "compiler/ir/structure.h"

namespace hidet::ir {

class Walker {
public:
    virtual ~Walker() = default;
    void walk(const NodeRef& node) { // null is fine
        if (node)
            walk(*node);
    }
    void walk(const Node& node);

protected:
    void walk_children(const Node& node);
#define HIDET_TYPE(name) virtual void visit(const name& node);
#define HIDET_LAYOUT(name) virtual void visit(const name& node);
#define HIDET_MAPPING(name) virtual void visit(const name& node);
#define HIDET_EXPR(name) virtual void visit(const name& node);
#define HIDET_STMT(name) virtual void visit(const name& node);
#define HIDET_TOP(name) virtual void visit(const name& node);
#include "compiler/ir/nodes.def"
};

// A Var is a definition where it stands in a VarRef field (Declare, For, Let, parameters) and a use elsewhere. The default
// visit of a Var looks it up in the substitution (filled by replace()), so a renamed definition takes its uses along.
// Nodes that a rewrite makes get the origin of the node they replace, marked with the pass.
class Rewriter {
public:
    explicit Rewriter(PassId pass = 0) : m_pass(pass) {}
    virtual ~Rewriter() = default;

    // Null stays null. A statement may become null, which means: nothing is left of it.
    template <class T>
    Ref<const T> rewrite(const Ref<const T>& node) {
        return node ? cast<T>(rewrite_node(NodeRef(node))) : nullptr;
    }
    ExprVec rewrite(const ExprVec& exprs);
    void replace(const VarRef& var, ExprRef by) { m_substitution[var.get()] = std::move(by); }
    // Makes a fresh Var for a definition that is being copied, and replaces the uses met from now on.
    VarRef copy_var(const VarRef& var);

protected:
    NodeRef rewrite_children(const Node& node);
    template <class T>
    Ref<const T> rebuild(const T& node) {
        return cast<T>(rewrite_children(node));
    }
    PassId pass() const { return m_pass; }

#define HIDET_TYPE(name) virtual TypeRef visit(const name& node);
#define HIDET_LAYOUT(name) virtual LayoutRef visit(const name& node);
#define HIDET_MAPPING(name) virtual MappingRef visit(const name& node);
#define HIDET_EXPR(name) virtual ExprRef visit(const name& node);
#define HIDET_STMT(name) virtual StmtRef visit(const name& node);
#define HIDET_TOP(name) virtual Ref<const name> visit(const name& node);
#include "compiler/ir/nodes.def"

private:
    NodeRef rewrite_node(const NodeRef& node);
    NodeRef rewrite_field(const NodeRef& node, bool is_definition);

    PassId m_pass;
    std::unordered_map<const Var*, ExprRef> m_substitution;
};

} // namespace hidet::ir
