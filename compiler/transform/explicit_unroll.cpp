// SPDX-License-Identifier: Apache-2.0
// A loop marked `u+` becomes one copy of its body per trip, so that what depends on the loop variable is constant, the index
// of a register array for one. Each copy has its own variables.
//
// `break` and `continue` keep their meaning: `continue` ends its copy, `break` ends them all. Where branches can say that
// they do, else a loop of one trip around the copy or around them all is what they leave.
//
// Needs: extents that are constant are constants (simplify); loop variables are never assigned (freeze-loops).
// Guarantees: no loop marked `u+`.
// Why here: after simplify has found the constant extents, before the last one, which uses what became constant.
#include "compiler/analysis/kinds.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/text/print.h"
#include "compiler/transform/exits.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

constexpr std::int64_t max_nodes = 400'000; // of one unrolled loop

class Unroller : public Rewriter {
public:
    explicit Unroller(PassContext& context) : Rewriter(context.pass), m_context(context) {}

protected:
    using Rewriter::visit;

    StmtRef visit(const ForStmt& stmt) override {
        StmtRef rebuilt = rebuild(stmt); // inner loops first
        if (stmt.attr.what != LoopAttr::What::UnrollExplicit)
            return rebuilt;
        const auto& loop = *as<ForStmt>(rebuilt);
        auto trips = constant_int(loop.extent);
        Span span = loop.extent->origin.known() ? loop.extent->origin.span : stmt.origin.span;
        if (!trips) {
            m_context.diagnostics.report(DiagId::LowerUnrollExtent, span, to_string(NodeRef(loop.extent)));
            return rebuilt;
        }
        std::int64_t size = 0;
        if (__builtin_mul_overflow(*trips, static_cast<std::int64_t>(loop.body->size), &size) || size > max_nodes) {
            m_context.diagnostics.report(DiagId::LowerUnrollSize, span, size > 0 ? size : INT64_MAX, max_nodes);
            return rebuilt;
        }
        return copies(loop, *trips);
    }
    ExprRef visit(const TensorElement& expr) override { return self(expr); } // no loops in expressions
    ExprRef visit(const Binary& expr) override { return self(expr); }
    StmtRef visit(const DeclareStmt& stmt) override { return self(stmt); }

private:
    StmtRef copies(const ForStmt& loop, std::int64_t trips) const {
        LoopExits exits = exits_of(loop.body);
        StmtRef body = loop.body;
        VarRef stop;
        if (exits.breaks && exits.continues) { // a copy may be left in two ways
            stop = make_var("stop", data_type(DType::Bool));
            body = before_breaks(body, make_assign(stop, bool_constant(true)));
        }
        StmtVec stmts;
        if (stop)
            stmts.push_back(make_declare(stop, bool_constant(false)));
        for (std::int64_t trip = 0; trip < trips; ++trip) {
            StmtRef copy = copy_of(loop, body, trip);
            stmts.push_back(exits.continues ? run_once(copy) : copy);
            if (stop && trip + 1 < trips)
                stmts.push_back(make_if(stop, make_break()));
        }
        StmtRef all = make_seq(std::move(stmts));
        return exits.breaks ? run_once(all) : all;
    }
    StmtRef copy_of(const ForStmt& loop, const StmtRef& body, std::int64_t trip) const {
        Rewriter copier(pass(), Definitions::Copy);
        ExprRef value = int_constant(trip, *scalar_of(loop.var->type));
        set_origin(value, {loop.var->origin.span, pass()});
        copier.replace(loop.var, value);
        return copier.rewrite(body);
    }

    PassContext& m_context;
};

} // namespace

ModuleRef explicit_unroll(const ModuleRef& module, PassContext& context) {
    return map_functions(module, [&](const FunctionRef& function) {
        if (!kinds_in(*function->body).has(Kind::ForStmt))
            return function;
        Unroller unroller(context);
        return with_body(function, unroller.rewrite(function->body));
    });
}

} // namespace hidet::compiler
