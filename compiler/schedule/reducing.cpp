// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/reducing.h"

#include <limits>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "lang/base/check.h"

namespace hidet::graph {

using namespace ir;

namespace {

ExprRef number(double value, std::int64_t integer, DType dtype) {
    return is_float(dtype) ? float_constant(value, dtype) : int_constant(integer, dtype);
}

ExprRef is_nan(const ExprRef& value) {
    return make_binary(BinOp::Ne, value, value);
}

ExprRef extreme(BinOp op, const ExprRef& running, const ExprRef& term, bool term_first) {
    ExprRef takes = term_first ? make_binary(op, term, running) : make_binary(op, running, term);
    if (is_float(*scalar_of(term->type)))
        takes = logical_or(takes, is_nan(term));
    return select(takes, term, running);
}

} // namespace

bool is_arg(ReduceOp op) {
    return op == ReduceOp::ArgMax || op == ReduceOp::ArgMin;
}

ExprRef neutral_of(ReduceOp op, DType dtype) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (op) {
    case ReduceOp::Sum: return number(0, 0, dtype);
    case ReduceOp::Prod: return number(1, 1, dtype);
    case ReduceOp::Max:
    case ReduceOp::ArgMax: return number(-infinity, is_float(dtype) ? 0 : integer_range(dtype).lowest, dtype);
    case ReduceOp::Min:
    case ReduceOp::ArgMin:
        return number(infinity, is_float(dtype) ? 0 : static_cast<std::int64_t>(integer_range(dtype).highest), dtype);
    case ReduceOp::And: return number(1, 1, dtype);
    case ReduceOp::Or: return number(0, 0, dtype);
    }
    internal_failure(__FILE__, __LINE__, "unknown reduction", "");
}

ExprRef combined(ReduceOp op, const ExprRef& running, const ExprRef& term) {
    const DType dtype = *scalar_of(running->type);
    switch (op) {
    case ReduceOp::Sum:
        if (const auto* product = as<Binary>(term);
            product && product->op == BinOp::Mul && (dtype == DType::F32 || dtype == DType::F64))
            return make_intrinsic(IntrinsicId::Fma, {product->a, product->b, running}, running->type);
        return add(running, term);
    case ReduceOp::Prod: return mul(running, term);
    case ReduceOp::Max:
    case ReduceOp::ArgMax: return extreme(BinOp::Lt, running, term, false);
    case ReduceOp::Min:
    case ReduceOp::ArgMin: return extreme(BinOp::Lt, running, term, true);
    case ReduceOp::And: return cast_to(logical_and(running, term), dtype);
    case ReduceOp::Or: return cast_to(logical_or(running, term), dtype);
    }
    internal_failure(__FILE__, __LINE__, "unknown reduction", "");
}

StmtRef reduce_term(ReduceOp op, const ExprRef& term, const ExprRef& running,
                    const std::function<StmtRef(const ExprRef&)>& keep) {
    if (op == ReduceOp::Sum || op == ReduceOp::Prod)
        return keep(combined(op, running, term));
    VarRef named = make_var("term", term->type);
    return make_seq({make_let_stmt(named, term), keep(combined(op, running, named))});
}

ExprRef is_better(const Reduction& reduction, const ExprRef& term, const ExprRef& best) {
    const BinOp compare = reduction.last ? BinOp::Le : BinOp::Lt;
    ExprRef better =
        reduction.op == ReduceOp::ArgMax ? make_binary(compare, best, term) : make_binary(compare, term, best);
    if (!is_float(*scalar_of(term->type)))
        return better;
    // A NaN is the best there is, so what follows one never is.
    const ExprRef best_is_number = logical_not(is_nan(best));
    const ExprRef nan_wins = reduction.last ? is_nan(term) : logical_and(is_nan(term), best_is_number);
    return logical_or(nan_wins, better);
}

StmtRef take_if_better(const Reduction& reduction, const ExprRef& value, const ExprRef& index, const VarRef& best,
                       const VarRef& where) {
    VarRef term = make_var("term", best->type);
    const ExprRef is_none = less(where, int_constant(0, DType::I64));
    const ExprRef takes = logical_or(is_none, is_better(reduction, term, best));
    return make_seq(
        {make_let_stmt(term, value), make_if(takes, make_seq({make_assign(best, term), make_assign(where, index)}))});
}

} // namespace hidet::graph
