// SPDX-License-Identifier: Apache-2.0
// The variables that a function uses and does not define.
#pragma once

#include <set>

#include "compiler/ir/rewrite.h"

namespace hidet::lang {

class FreeVariables : public ir::Walker {
public:
    using ir::Walker::visit;
    void define(const ir::VarRef& var) {
        if (!m_defined.insert(var.get()).second)
            m_defined_again.push_back(var);
    }
    const ir::VarVec& used() const { return m_used; } // in the order of their first use
    const ir::VarVec& defined_again() const { return m_defined_again; }
    bool defines(const ir::Var* var) const { return m_defined.contains(var); }

protected:
    void visit(const ir::DeclareStmt& node) override { define(node.var), walk_children(node); }
    void visit(const ir::ForStmt& node) override { define(node.var), walk_children(node); }
    void visit(const ir::Let& node) override { // an expression may stand in several places
        m_defined.insert(node.var.get());
        walk_children(node);
    }
    void visit(const ir::ForMappingStmt& node) override {
        for (const ir::VarRef& var : node.vars)
            define(var);
        walk_children(node);
    }
    void visit(const ir::Var& node) override {
        if (m_seen.insert(&node).second)
            m_used.push_back(ir::self(node));
        walk_children(node);
    }

private:
    std::set<const ir::Var*> m_defined, m_seen;
    ir::VarVec m_used, m_defined_again;
};

} // namespace hidet::lang
