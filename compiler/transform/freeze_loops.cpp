// SPDX-License-Identifier: Apache-2.0
// A loop of the script runs over a sequence that is fixed when the loop starts: `for i in range(n)` neither looks at `n`
// again nor cares what the body assigns to `i`. Code generators would print `for (int i = 0; i < n; i++)`, where both matter.
//
// Shared and static variables exist once, wherever they are declared, so their declarations leave the loops too: copies of an
// unrolled body must not have one each.
//
// Needs: nothing.
// Guarantees: the variables of For and ForMapping loops are set by the loop alone, and extents always have the same value; no
// loop declares a shared or static variable.
// Why here: value ranges, unrolling and the expansion of mappings all rely on it.
#include "compiler/analysis/kinds.h"
#include "compiler/ir/rewrite.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"
#include "lang/base/transformed.h"

namespace hidet::compiler {

using namespace ir;

namespace {

class Freezer : public Rewriter {
public:
    Freezer(PassId pass, const Uses& uses) : Rewriter(pass), m_uses(uses) {}

    StmtRef run(const StmtRef& body) {
        StmtRef result = rewrite(body);
        if (m_moved.empty())
            return result;
        m_moved.push_back(std::move(result));
        return make_seq(std::move(m_moved));
    }

protected:
    using Rewriter::visit;

    StmtRef visit(const DeclareStmt& stmt) override {
        bool exists_once = stmt.scope == Scope::Shared || stmt.is_static;
        if (m_loops == 0 || !exists_once)
            return rebuild(stmt);
        m_moved.push_back(self(stmt));
        return nullptr;
    }
    StmtRef visit(const WhileStmt& stmt) override {
        ++m_loops;
        StmtRef result = rebuild(stmt);
        --m_loops;
        return result;
    }
    StmtRef visit(const ForStmt& stmt) override {
        StmtVec before;
        StmtVec body;
        ExprRef extent = evaluated_once(rewrite(stmt.extent), m_uses, stmt.var->name + "_end", before);
        VarRef counter = counter_for(stmt.var, body);
        StmtRef inner = body_of(stmt.body);
        if (before.empty() && body.empty() && inner == stmt.body && extent == stmt.extent)
            return self(stmt);
        body.push_back(std::move(inner));
        before.push_back(make_for(counter, extent, stmt.attr, make_seq(std::move(body))));
        return make_seq(std::move(before));
    }
    StmtRef visit(const ForMappingStmt& stmt) override {
        StmtVec body;
        VarVec counters = transformed(stmt.vars, [&](const VarRef& var) { return counter_for(var, body); });
        StmtRef inner = body_of(stmt.body);
        if (body.empty() && inner == stmt.body)
            return self(stmt);
        body.push_back(std::move(inner));
        return make_for_mapping(std::move(counters), stmt.mapping, stmt.worker, make_seq(std::move(body)));
    }

private:
    StmtRef body_of(const StmtRef& body) {
        ++m_loops;
        StmtRef result = rewrite(body);
        --m_loops;
        return result;
    }
    // The loop's own variable; where the body assigns it, that becomes a copy.
    VarRef counter_for(const VarRef& var, StmtVec& body) {
        if (m_uses.is_immutable(*var))
            return var;
        VarRef counter = make_var(var->name, var->type);
        body.push_back(make_declare(var, counter));
        return counter;
    }

    const Uses& m_uses;
    StmtVec m_moved; // to the start of the function
    int m_loops = 0;
};

} // namespace

ModuleRef freeze_loops(const ModuleRef& module, PassContext& context) {
    return map_functions(module, [&](const FunctionRef& function) {
        KindSet kinds = kinds_in(*function->body);
        if (!kinds.has(Kind::ForStmt) && !kinds.has(Kind::ForMappingStmt) && !kinds.has(Kind::WhileStmt))
            return function;
        Uses uses = uses_in(*function, module.get());
        return with_body(function, Freezer(context.pass, uses).run(function->body));
    });
}

} // namespace hidet::compiler
