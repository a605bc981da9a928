// SPDX-License-Identifier: Apache-2.0
// A scalar or pointer variable that is set once becomes a let, which later passes may look through. Two forms count: a
// declaration with an initial value that nobody assigns or points to, and a declaration without one that is followed, in the
// same block and before any use, by the only assignment (`smem = tensor_pointer(...)`, then `smem = ...`). A tensor map on a GPU
// is where its parameter is, for the copy unit does not read the memory of a thread: a name for it is the parameter itself,
// and what would have to be a copy is refused.
//
// Needs: calls are inlined, whose parameters may be maps.
// Guarantees: what is a let never changes; functions on a GPU declare no tensor maps.
// Why here: value ranges and inlining see through lets only.
#include <algorithm>

#include "compiler/analysis/kinds.h"
#include "compiler/analysis/uses.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

bool is_register_type(const TypeRef& type) {
    return type->kind == Kind::DataType || is_pointer(type);
}

class LetMaker : public Rewriter {
public:
    LetMaker(PassContext& context, const Function& function, const Uses& uses)
        : Rewriter(context.pass), m_sink(context.diagnostics), m_function(function), m_uses(uses) {}

protected:
    using Rewriter::visit;

    StmtRef visit(const DeclareStmt& stmt) override {
        if (runs_on_gpu(m_function.func_kind) && is_tensor_map(stmt.var->type))
            return name_map(stmt);
        bool sets_once = stmt.init && m_uses.of(*stmt.var).is_immutable();
        if (stmt.is_let || !sets_once || !may_be_let(stmt))
            return rebuild(stmt);
        return make_let_stmt(stmt.var, rewrite(stmt.init));
    }
    StmtRef visit(const SeqStmt& stmt) override {
        StmtVec stmts;
        bool changed = false;
        for (std::size_t i = 0; i < stmt.stmts.size(); ++i) {
            StmtRef mapped = rewrite(stmt.stmts[i]);
            if (const auto* assign = as<AssignStmt>(mapped); assign && sets_first(*assign, stmt.stmts, i)) {
                drop_declaration(*assign->var, stmts);
                mapped = make_let_stmt(assign->var, assign->value);
                set_origin(mapped, stmt.stmts[i]->origin);
            }
            changed = changed || mapped != stmt.stmts[i];
            stmts.push_back(std::move(mapped));
        }
        return changed ? make_seq(std::move(stmts)) : self(stmt);
    }

private:
    // Nothing of the declaration is left where the variable is another name of a map.
    StmtRef name_map(const DeclareStmt& stmt) {
        const auto* map = stmt.init ? as<Var>(stmt.init) : nullptr;
        const bool stays = map && m_uses.of(*stmt.var).writes == 0 && m_uses.of(*map).writes == 0;
        if (stays) {
            replace(stmt.var, rewrite(stmt.init));
            return nullptr;
        }
        m_sink.report(
            DiagId::ScriptTensorMap, stmt.origin.span,
            cat("the copy '", stmt.var->name,
                "' in a kernel, where the copy unit does not reach it: use the address of a parameter instead"));
        return self(stmt);
    }
    static bool may_be_let(const DeclareStmt& stmt) {
        bool is_local = stmt.scope == Scope::Default || stmt.scope == Scope::Register;
        return is_local && !stmt.is_static && is_register_type(stmt.var->type);
    }
    // The only assignment of a variable declared without a value before it in this block. What stands between cannot read it,
    // or it would read nothing; a read there keeps the variable as it is, for the emulator to report.
    bool sets_first(const AssignStmt& assign, const StmtVec& stmts, std::size_t at) const {
        const VarFacts& facts = m_uses.of(*assign.var);
        if (facts.writes != 1 || facts.addressed || !same_type(assign.value->type, assign.var->type))
            return false;
        for (std::size_t i = at; i-- > 0;) {
            const auto* declare = as<DeclareStmt>(stmts[i]);
            if (declare && declare->var.get() == assign.var.get())
                return !declare->init && may_be_let(*declare) && !reads_between(*assign.var, stmts, i + 1, at);
        }
        return false;
    }
    static bool reads_between(const Var& var, const StmtVec& stmts, std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i)
            if (mentions(stmts[i], var))
                return true;
        const auto* assign = as<AssignStmt>(stmts[to]);
        return assign && mentions(assign->value, var);
    }
    static void drop_declaration(const Var& var, StmtVec& stmts) {
        std::erase_if(stmts, [&](const StmtRef& stmt) {
            const auto* declare = as<DeclareStmt>(stmt);
            return declare && declare->var.get() == &var;
        });
    }

    DiagnosticSink& m_sink;
    const Function& m_function;
    const Uses& m_uses;
};

} // namespace

ModuleRef declare_to_let(const ModuleRef& module, PassContext& context) {
    return map_functions(module, [&](const FunctionRef& function) {
        if (!kinds_in(*function->body).has(Kind::DeclareStmt))
            return function;
        Uses uses = uses_in(*function, module.get());
        LetMaker maker(context, *function, uses);
        return with_body(function, maker.rewrite(function->body));
    });
}

} // namespace hidet::compiler
