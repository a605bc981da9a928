// SPDX-License-Identifier: Apache-2.0
// Lets that passes made for themselves disappear where their value is used once. A name of the script stays, because it is
// what a reader looks for in the generated code, unless it is only a second name of another variable.
//
// A value moves only if it is the same wherever it is evaluated, and never into a loop, where it would be computed again.
//
// Needs: lets are immutable.
// Guarantees: let expressions whose value is used at most once, or is as simple as a name, are gone.
// Why here: after unrolling, whose copies have lets of their own.
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

class LetInliner : public Rewriter {
public:
    LetInliner(PassId pass, const Uses& uses) : Rewriter(pass), m_uses(uses) {}

protected:
    using Rewriter::visit;

    StmtRef visit(const DeclareStmt& stmt) override {
        StmtRef rebuilt = rebuild(stmt);
        const auto* declare = as<DeclareStmt>(rebuilt);
        bool is_own_name = declare->var->origin.known() && declare->var->origin.pass == 0;
        bool is_second_name = declare->init && declare->init->kind == Kind::Var;
        if (!declare->is_let || (is_own_name && !is_second_name) || !moves(*declare->var, declare->init))
            return rebuilt;
        replace(declare->var, declare->init);
        return nullptr;
    }
    ExprRef visit(const Let& expr) override {
        ExprRef value = rewrite(expr.value);
        bool unused = m_uses.of(*expr.var).reads == 0 && can_drop(value);
        if (!unused && !moves(*expr.var, value)) {
            ExprRef body = rewrite(expr.body);
            return value == expr.value && body == expr.body ? self(expr) : make_let(expr.var, value, body);
        }
        replace(expr.var, value);
        return rewrite(expr.body);
    }
    TypeRef visit(const TensorType& type) override { return self(type); }
    TypeRef visit(const TensorPointerType& type) override { return self(type); }

private:
    // Into its only use, or into all of them when it costs nothing.
    bool moves(const Var& var, const ExprRef& value) const {
        if (!same_type(var.type, value->type) || effect_of(value, m_uses) != Effect::None)
            return false;
        const VarFacts& facts = m_uses.of(var);
        if (!facts.is_immutable())
            return false;
        bool is_free = value->kind == Kind::Constant || value->kind == Kind::Var || value->kind == Kind::BuiltinVar ||
                       value->kind == Kind::SymbolVar;
        return is_free || (facts.reads <= 1 && facts.deepest_read <= facts.depth);
    }

    const Uses& m_uses;
};

} // namespace

ModuleRef inline_let(const ModuleRef& module, PassContext& context) {
    return map_functions(module, [&](const FunctionRef& function) {
        Uses uses = uses_in(*function, module.get());
        LetInliner inliner(context.pass, uses);
        return with_body(function, inliner.rewrite(function->body));
    });
}

} // namespace hidet::compiler
