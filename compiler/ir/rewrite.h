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
    // A Var where it is defined; visit(const Var&) sees its uses. Walks the type.
    virtual void define(const Var& var);
#define HIDET_NODE(name) virtual void visit(const name& node);
#include "compiler/ir/nodes.def"

private:
    template <class T>
    void walk_fields(const T& node);
};

// The default visit of a use looks it up in the substitution, which replace() fills. The default define() gives the
// definition the Var that replaces it, or a fresh Var when its type was rewritten, and its uses follow.
// Nodes that a rewrite makes get the origin of the node they replace, marked with the pass.
class Rewriter {
public:
    enum class Definitions : std::uint8_t { Keep, Copy }; // Copy: every definition becomes a fresh Var
    explicit Rewriter(PassId pass = 0, Definitions definitions = Definitions::Keep)
        : m_pass(pass), m_definitions(definitions) {}
    virtual ~Rewriter() = default;

    // Null stays null. A statement may become null, which means: nothing is left of it.
    template <class T>
    Ref<const T> rewrite(const Ref<const T>& node) {
        return node ? cast<T>(rewrite_node(*node)) : nullptr;
    }
    ExprVec rewrite(const ExprVec& exprs);
    // From now on. A Var that is still defined in what is rewritten can only be replaced by another Var.
    void replace(const VarRef& var, ExprRef by) { replace(*var, std::move(by)); }
    void replace(const Var& var, ExprRef by) { m_substitution[&var] = std::move(by); }
    // Makes a fresh Var for a definition that is being copied, and replaces the uses met from now on.
    VarRef copy_var(const VarRef& var);

protected:
    NodeRef rewrite_children(const Node& node);
    template <class T>
    Ref<const T> rebuild(const T& node) {
        return cast<T>(rewrite_children(node));
    }
    StmtRef rebuild(const SeqStmt& seq) { // one statement that is left stands for itself
        return cast<Stmt>(rewrite_children(seq));
    }
    PassId pass() const { return m_pass; }

    virtual VarRef define(const Var& var);
#define HIDET_TYPE(name) virtual TypeRef visit(const name& node);
#define HIDET_LAYOUT(name) virtual LayoutRef visit(const name& node);
#define HIDET_MAPPING(name) virtual MappingRef visit(const name& node);
#define HIDET_EXPR(name) virtual ExprRef visit(const name& node);
#define HIDET_STMT(name) virtual StmtRef visit(const name& node);
#define HIDET_TOP(name) virtual Ref<const name> visit(const name& node);
#include "compiler/ir/nodes.def"

private:
    NodeRef rewrite_node(const Node& node);
    template <class T>
    NodeRef rewrite_fields(const T& node);
    void define_params(const Function& function);
    const ExprRef* find_replacement(const Var& var) const;

    PassId m_pass;
    Definitions m_definitions;
    std::unordered_map<const Var*, ExprRef> m_substitution;
};

} // namespace hidet::ir
