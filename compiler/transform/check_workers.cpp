// SPDX-License-Identifier: Apache-2.0
// A task mapping of W workers on a worker expression: workers from W on have no task, so the loop gets the guard
// `worker < W` unless the expression is known to stay below. The other way round, workers of the mapping that the expression
// never reaches would silently leave their tasks undone, which is refused. A constant worker is no mistake: it asks for the
// tasks of that worker.
//
// Needs: immutable variables are lets (declare-to-let), so that `warp = threadIdx.x // 32` has a range.
// Guarantees: in a ForMapping, worker < W, and the worker has no effects and always the same value.
// Why here: right before expand-task-mapping, whose index arithmetic is wrong for workers out of range.
#include "compiler/analysis/kinds.h"
#include "compiler/analysis/range_rewriter.h"
#include "compiler/ir/mapping.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/text/print.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

std::string decimal(Wide value) { // ranges of interest are those of 64 bits and their products
    return value > Wide{INT64_MAX} ? "2^63 or more" : std::to_string(static_cast<std::int64_t>(value));
}

class WorkerChecker : public RangeRewriter {
public:
    WorkerChecker(PassContext& context, const Uses& uses, const LaunchBounds* bounds)
        : RangeRewriter(context.pass, uses, bounds), m_context(context) {}

protected:
    using RangeRewriter::visit;

    StmtRef visit(const ForMappingStmt& stmt) override {
        StmtVec stmts;
        ExprRef worker = evaluated_once(rewrite(stmt.worker), uses, "worker", stmts);
        if (!stmts.empty()) // the range is that of the expression, not of the new variable
            if (auto range = ranges.of(stmt.worker))
                ranges.bind(*as<Var>(worker), *range);
        ExprRef workers = workers_of(stmt.mapping);
        ExprRef guard = guard_of(worker, workers);
        report_missing_workers(stmt, worker, workers);
        StmtRef body = scoped([&] {
            learn_extents(stmt);
            return rewrite(stmt.body);
        });
        StmtRef loop = worker == stmt.worker && body == stmt.body
                           ? StmtRef(&stmt)
                           : make_for_mapping(stmt.vars, stmt.mapping, worker, std::move(body));
        stmts.push_back(guard ? make_if(guard, loop) : loop);
        return make_seq(std::move(stmts));
    }

private:
    ExprRef guard_of(const ExprRef& worker, const ExprRef& workers) const {
        ExprRef guard = less(worker, workers);
        auto truth = ranges.truth_of(guard);
        return truth == true ? nullptr : guard;
    }

    void report_missing_workers(const ForMappingStmt& stmt, const ExprRef& worker, const ExprRef& workers) {
        auto needed = constant_int(workers);
        auto range = ranges.of(worker);
        if (!needed || !range || range->is_single() || range->hi + 1 >= *needed)
            return;
        Span span = stmt.worker->origin.known() ? stmt.worker->origin.span : stmt.origin.span;
        m_context.diagnostics.report(DiagId::LowerTooManyWorkers, span, *needed, to_string(NodeRef(stmt.worker)),
                                     decimal(range->hi), decimal(*needed - range->hi - 1));
    }

    void learn_extents(const ForMappingStmt& stmt) {
        ExprVec shape = shape_of(stmt.mapping);
        for (std::size_t i = 0; i < stmt.vars.size(); ++i)
            learn_loop(*stmt.vars[i], shape[i]);
    }

    PassContext& m_context;
};

} // namespace

ModuleRef check_workers(const ModuleRef& module, PassContext& context) {
    auto bounds = launch_bounds(*module);
    return map_functions(module, [&](const FunctionRef& function) {
        if (!kinds_in(*function->body).has(Kind::ForMappingStmt))
            return function;
        Uses uses = uses_in(*function, module.get());
        WorkerChecker checker(context, uses, find_bounds(bounds, *function));
        return with_body(function, checker.rewrite(function->body));
    });
}

} // namespace hidet::compiler
