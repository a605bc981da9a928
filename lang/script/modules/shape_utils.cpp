// SPDX-License-Identifier: Apache-2.0
// hidet.ir.utils and hidet.ir.tools: indices, broadcasting and types of expressions.
#include "lang/base/transformed.h"
#include "lang/host/arguments.h"
#include "lang/script/modules/exports.h"

namespace hidet::lang {

namespace {

ir::ExprVec expressions(Evaluator& evaluator, const Value& value, Span span) {
    return transformed(evaluator.iterate(value, span), [&](const Value& item) { return to_expr(item, span); });
}

Value as_list(const ir::ExprVec& exprs) {
    return Value::list(from_exprs(exprs).items());
}

Value serialize_index(Evaluator& evaluator, const Arguments& a, Span call) {
    const ir::ExprVec indices = expressions(evaluator, a[0], a.span(0)), shape = to_shape(a[1], a.span(1));
    if (indices.size() != shape.size())
        fail(DiagId::ScriptRank, a.span(0), count_of(indices.size(), "index", "indices"),
             count_of(shape.size(), "dimension", "dimensions"));
    return from_expr(typed(call, [&] { return ir::flatten(indices, shape); }));
}

Value deserialize_index(Evaluator&, const Arguments& a, Span call) {
    const ir::ExprRef index = to_expr(a[0], a.span(0));
    ir::ExprVec out;
    typed(call, [&] {
        out = ir::unflatten(index, to_shape(a[1], a.span(1)));
        return index;
    });
    return as_list(out);
}

// One extent of both; a diagnostic where two constants differ and none is 1.
ir::ExprRef common_extent(const ir::ExprRef& x, const ir::ExprRef& y, Span span) {
    const auto a = ir::constant_int(x), b = ir::constant_int(y);
    if (a == 1)
        return y;
    if (b == 1)
        return x;
    if (a && b && *a != *b)
        fail(DiagId::BadValue, span, cat("extents ", *a, " and ", *b, " cannot be broadcast"));
    return a ? x : y;
}

ir::ExprVec common_shape(ir::ExprVec x, ir::ExprVec y, Span span) {
    if (x.size() < y.size())
        std::swap(x, y);
    const std::size_t ahead = x.size() - y.size();
    for (std::size_t i = 0; i < y.size(); ++i)
        x[ahead + i] = common_extent(x[ahead + i], y[i], span);
    return x;
}

Value broadcast_shape(Evaluator&, const Arguments& a, Span call) {
    return as_list(common_shape(to_shape(a[0], a.span(0)), to_shape(a[1], a.span(1)), call));
}

Value broadcast_shapes(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::ExprVec out;
    for (const Value& shape : evaluator.iterate(a[0], a.span(0)))
        out = common_shape(std::move(out), to_shape(shape, a.span(0)), call);
    return as_list(out);
}

Value can_broadcast(Evaluator&, const Arguments& a, Span call) {
    try {
        common_shape(to_shape(a[0], a.span(0)), to_shape(a[1], a.span(1)), call);
    } catch (const DiagnosticError& error) {
        if (error.diagnostic.id != DiagId::BadValue)
            throw;
        return Value::boolean(false);
    }
    return Value::boolean(true);
}

// Which element of a smaller tensor an element of the result reads.
Value broadcast_indices(Evaluator& evaluator, const Arguments& a, Span) {
    const std::vector<Value> indices = evaluator.iterate(a[0], a.span(0));
    const ir::ExprVec shape = to_shape(a[1], a.span(1)), out_shape = to_shape(a[2], a.span(2));
    if (indices.size() != out_shape.size() || shape.size() > out_shape.size())
        fail(DiagId::ScriptRank, a.span(0), count_of(indices.size(), "index", "indices"),
             count_of(out_shape.size(), "dimension", "dimensions"));
    std::vector<Value> out(indices.end() - static_cast<std::ptrdiff_t>(shape.size()), indices.end());
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (ir::is_constant(shape[i], 1))
            out[i] = Value::integer(0);
    return Value::list(std::move(out));
}

ir::DType promoted(ir::DType x, ir::DType y, Span span) {
    if (auto dtype = ir::promote(x, y))
        return *dtype;
    fail(DiagId::ScriptTypeMismatch, span,
         cat("'", ir::info(x).name, "' and '", ir::info(y).name, "' have no common type"));
}

Value promotion(Evaluator&, const Arguments& a, Span call) {
    return Value::type(ir::data_type(promoted(to_dtype(a[0], a.span(0)), to_dtype(a[1], a.span(1)), call)));
}

Value infer_type(Evaluator&, const Arguments& a, Span) {
    return Value::type(to_expr(a[0], a.span(0))->type);
}

// Constants fold when an expression is made, so there is nothing left to do.
Value simplify(Evaluator&, const Arguments& a, Span) {
    return a[0].is_number() ? Value::expr(to_expr(a[0], a.span(0))) : a[0];
}

Value simplify_to_int(Evaluator&, const Arguments& a, Span) {
    return Value::integer(to_int(a[0], a.span(0), "the value"));
}

Value as_text(Evaluator& evaluator, const Arguments& a, Span) {
    return evaluator.new_str(evaluator.str(a[0]));
}

} // namespace

void export_ir_utils(HostModule& module) {
    module.function("astext", {"obj"}, as_text);
    module.function("broadcast_indices", {"out_indices", "shape", "out_shape"}, broadcast_indices);
    module.function("broadcast_shape", {"x_shape", "y_shape"}, broadcast_shape);
    module.function("broadcast_shapes", {"shapes"}, broadcast_shapes);
    module.function("can_mutually_broadcast", {"x_shape", "y_shape"}, can_broadcast);
    module.function("index_deserialize", {"scalar_index", "shape"}, deserialize_index);
    module.function("index_serialize", {"indices", "shape"}, serialize_index);
    module.function("infer_type", {"expr"}, infer_type);
    module.function("numeric_promotion", {"a_dtype", "b_dtype"}, promotion);
    module.function("promote_type", {"lhs", "rhs"}, promotion);
    module.function("simplify", {"node"}, simplify);
    module.function("simplify_to_int", {"node"}, simplify_to_int);
}

} // namespace hidet::lang
