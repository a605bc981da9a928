// SPDX-License-Identifier: Apache-2.0
// Bottom up: an i64 node whose value fits becomes the cast of an i32 node, and who uses it takes the cast off again where
// an i32 serves as well.
#include "compiler/schedule/narrow.h"

#include "compiler/analysis/range_rewriter.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/transform/functions.h"

namespace hidet::graph {

using namespace ir;

namespace {

const compiler::Range small = compiler::type_range(DType::I32);

bool is_i64(const ExprRef& expr) {
    return scalar_of(expr->type) == DType::I64;
}

// The i32 expression of the same value; null when there is none at hand.
ExprRef narrowed(const ExprRef& expr) {
    if (const auto constant = constant_int(expr)) {
        const bool fits = small.lo <= *constant && *constant <= small.hi;
        return fits ? int_constant(*constant, DType::I32) : nullptr;
    }
    const auto* cast = as<Cast>(expr);
    return cast && scalar_of(cast->a->type) == DType::I32 ? cast->a : nullptr;
}

ExprRef widened(const ExprRef& expr) {
    return make_cast(expr, data_type(DType::I64));
}

class IndexNarrower : public compiler::RangeRewriter {
public:
    using RangeRewriter::RangeRewriter;

protected:
    using RangeRewriter::visit;

    ExprRef visit(const Binary& expr) override {
        ExprRef rebuilt = RangeRewriter::visit(expr);
        const auto* binary = as<Binary>(rebuilt);
        if (!binary || !is_i64(binary->a) || !is_i64(binary->b))
            return rebuilt;
        const ExprRef a = narrowed(binary->a);
        const ExprRef b = narrowed(binary->b);
        if (!a || !b)
            return rebuilt;
        if (is_comparison(binary->op))
            return make_binary(binary->op, a, b);
        if (!fits(rebuilt))
            return rebuilt;
        return constant_or_wide(ir::binary(binary->op, a, b));
    }
    ExprRef visit(const Select& expr) override {
        ExprRef rebuilt = RangeRewriter::visit(expr);
        const auto* select = as<Select>(rebuilt);
        if (!select || !is_i64(rebuilt))
            return rebuilt;
        const ExprRef a = narrowed(select->a);
        const ExprRef b = narrowed(select->b);
        return a && b ? widened(make_select(select->condition, a, b)) : rebuilt;
    }
    ExprRef visit(const Intrinsic& expr) override {
        ExprRef rebuilt = rebuild(expr);
        const auto* call = as<Intrinsic>(rebuilt);
        if (!is_i64(rebuilt) || (call->id != IntrinsicId::Min && call->id != IntrinsicId::Max))
            return rebuilt;
        const ExprRef a = narrowed(call->args[0]);
        const ExprRef b = narrowed(call->args[1]);
        return a && b ? widened(math(call->id, {a, b})) : rebuilt;
    }
    ExprRef visit(const Cast& expr) override {
        ExprRef rebuilt = rebuild(expr);
        const auto* cast = as<Cast>(rebuilt);
        if (!is_i64(cast->a) || !scalar_of(cast->type))
            return rebuilt;
        const ExprRef a = narrowed(cast->a);
        return a ? cast_to(a, cast->type) : rebuilt;
    }
    ExprRef visit(const TensorElement& expr) override {
        return make_element(rewrite(expr.base), narrow_indices(expr.indices), expr.is_protected);
    }
    StmtRef visit(const StoreStmt& stmt) override {
        return make_store(rewrite(stmt.base), narrow_indices(stmt.indices), rewrite(stmt.value), stmt.is_protected);
    }
    StmtRef visit(const DeclareStmt& stmt) override {
        if (!stmt.is_let || !is_i64(stmt.var))
            return RangeRewriter::visit(stmt);
        ExprRef value = rewrite(stmt.init);
        ExprRef small_value = narrowed(value);
        if (!small_value) {
            learn_value(*stmt.var, value);
            return value == stmt.init ? self(stmt) : make_let_stmt(stmt.var, value);
        }
        VarRef var = make_var(stmt.var->name, data_type(DType::I32));
        if (const auto range = ranges.of(small_value))
            ranges.bind(*var, *range); // a let never changes
        replace(stmt.var, widened(var));
        return make_let_stmt(var, small_value);
    }
    StmtRef visit(const ForStmt& stmt) override {
        const ExprRef extent = is_i64(stmt.extent) ? narrowed(rewrite(stmt.extent)) : nullptr;
        if (!extent)
            return RangeRewriter::visit(stmt);
        VarRef var = make_var(stmt.var->name, data_type(DType::I32));
        StmtRef body = scoped([&] {
            if (const auto range = ranges.of(extent)) // the body never assigns a loop's variable
                ranges.bind(*var, {0, range->hi > 0 ? range->hi - 1 : 0});
            replace(stmt.var, widened(var));
            return rewrite(stmt.body);
        });
        return make_for(var, extent, stmt.attr, body ? body : make_seq({}));
    }

private:
    bool fits(const ExprRef& expr) const {
        const auto range = ranges.of(expr);
        return range && small.contains(*range);
    }
    static ExprRef constant_or_wide(const ExprRef& expr) {
        const auto constant = constant_int(expr);
        return constant ? int_constant(*constant, DType::I64) : widened(expr);
    }
    ExprVec narrow_indices(const ExprVec& indices) {
        ExprVec result = rewrite(indices);
        for (ExprRef& index : result)
            if (ExprRef narrow = is_i64(index) ? narrowed(index) : nullptr)
                index = narrow;
        return result;
    }
};

} // namespace

ModuleRef with_narrow_indices(const ModuleRef& module) {
    const auto bounds = compiler::launch_bounds(*module);
    return compiler::map_functions(module, [&](const FunctionRef& function) {
        if (!runs_on_gpu(function->func_kind))
            return function;
        const compiler::Uses uses = compiler::uses_in(*function, module.get());
        IndexNarrower narrower(0, uses, find_bounds(bounds, *function));
        return compiler::with_body(function, narrower.rewrite(function->body));
    });
}

} // namespace hidet::graph
