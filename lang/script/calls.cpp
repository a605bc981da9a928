// SPDX-License-Identifier: Apache-2.0
// Calls of IR values: casts, script functions, kernels (which become launches), extern functions.
#include <algorithm>
#include <cmath>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/rewrite.h"
#include "lang/host/arguments.h"
#include "lang/host/operators.h"
#include "lang/script/module.h"
#include "lang/script/operations.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

// dtype(constant): what the type cannot hold is a mistake.
ir::ExprRef checked_constant(double value, bool is_whole, std::int64_t whole, ir::DType dtype, Span span,
                             DiagnosticSink& sink) {
    if (ir::is_float(dtype)) {
        if (std::isfinite(value) && std::abs(value) > ir::float_max(dtype))
            fail(DiagId::ScriptConstantRange, span, is_whole ? cat(whole) : shortest(value),
                 ir::info(dtype).short_name);
        return ir::float_constant(value, dtype);
    }
    if (dtype == ir::DType::Bool)
        return ir::bool_constant(value != 0);
    if (!ir::is_integer(dtype) && !ir::is_subbyte(dtype))
        return nullptr;
    if (!is_whole) {
        if (!std::isfinite(value) || std::abs(value) >= 9.2e18)
            fail(DiagId::ScriptConstantRange, span, shortest(value), ir::info(dtype).short_name);
        if (value != std::trunc(value))
            sink.report(DiagId::ScriptFractionLost, span, "f32", ir::info(dtype).short_name);
        whole = static_cast<std::int64_t>(value);
    }
    auto range = ir::integer_range(dtype);
    bool too_high = whole >= 0 && static_cast<std::uint64_t>(whole) > range.highest;
    if (whole < range.lowest || too_high)
        fail(DiagId::ScriptConstantRange, span, whole, ir::info(dtype).short_name);
    return ir::int_constant(whole, dtype);
}

bool is_scalar_dtype(ir::DType dtype) {
    return !ir::is_vector(dtype) && !ir::is_complex(dtype);
}

// The launch of a kernel: its attributes with its parameters replaced by the arguments.
struct ArgumentSubstitution : ir::Rewriter {
    ArgumentSubstitution(const ir::VarVec& params, const ir::ExprVec& args) {
        for (std::size_t i = 0; i < params.size(); ++i)
            replace(params[i], args[i]);
    }
    ir::ExprVec three(const ir::ExprVec& dims) {
        ir::ExprVec out = rewrite(dims);
        while (out.size() < 3)
            out.push_back(ir::int_constant(1));
        return out;
    }
};

ir::StmtRef launch(const ir::Function& kernel, const ir::ExprVec& args) {
    ArgumentSubstitution substitution(kernel.params, args);
    ir::LaunchStmt stmt;
    stmt.kernel = kernel.name;
    stmt.args = args;
    stmt.grid = substitution.three(kernel.grid_dim);
    stmt.cluster = substitution.three(kernel.cluster_dim);
    stmt.block = substitution.three(kernel.block_dim);
    stmt.dynamic_smem_bytes =
        kernel.dynamic_smem_bytes ? substitution.rewrite(kernel.dynamic_smem_bytes) : ir::int_constant(0);
    return ir::make<ir::LaunchStmt>(std::move(stmt));
}

Value call_extern(Operations& operations, const ir::VarRef& var, Args& args, Span span) {
    const auto* type = ir::as<ir::FuncType>(var->type);
    if (!type)
        fail(DiagId::ScriptNotCallable, span, describe(Value::expr(var)));
    need_extern_function(var->name, span);
    ir::ExprVec converted = convert_arguments(operations, var->name, type->params, args, span);
    if (operations.translator())
        operations.translator()->use_extern(var);
    return Value::expr(typed(span, [&] { return ir::make_call(var->name, converted, type->ret); }));
}

} // namespace

// A vector whose lanes are one number; null: what is given is none.
static ir::ExprRef all_lanes(Operations& operations, const Value& value, ir::DType vector, Args& args, Span span) {
    const bool is_expr = value.is(ValueKind::Expr);
    const auto given = is_expr ? ir::scalar_of(value.as_expr()->type) : std::nullopt;
    if (!value.is_number() && (!given || !is_scalar_dtype(*given)))
        return nullptr;
    const Value lane = call_type(operations, ir::data_type(ir::info(vector).lane), args, span);
    return typed(
        span, [&] { return ir::make_intrinsic(ir::IntrinsicId::MakeVector, {lane.as_expr()}, ir::data_type(vector)); });
}

Value call_type(Operations& operations, const ir::TypeRef& type, Args& args, Span span) {
    std::string text = type_text(type);
    Arguments a(args, span, text, {"value"});
    const Value& value = a[0];
    if (value.is(ValueKind::Unknown))
        return value;
    DiagnosticSink& sink = operations.evaluator().sink();
    auto dtype = ir::scalar_of(type);
    if (value.is_number() && dtype && is_scalar_dtype(*dtype)) {
        bool whole = !value.is(ValueKind::Float);
        if (auto constant =
                checked_constant(value.as_double(), whole, whole ? value.as_int() : 0, *dtype, a.span(0), sink)) {
            ir::set_origin(constant, {span, 0});
            return Value::expr(constant);
        }
    }
    if (dtype && ir::is_vector(*dtype))
        if (ir::ExprRef vector = all_lanes(operations, value, *dtype, args, span))
            return Value::expr(vector);
    if (!value.is_number() && !value.is(ValueKind::Expr))
        fail(DiagId::ScriptBadCast, a.span(0), describe(value), text);
    ir::ExprRef expr = to_expr(value, a.span(0));
    return Value::expr(typed(span, [&] { return ir::cast_to(expr, type); }));
}

static ir::ExprRef convert_argument(Operations& operations, std::string_view name, std::size_t i,
                                    const ir::ExprRef& value, const ir::TypeRef& type, Span span) {
    try {
        return convert_to(value, type, span, operations.evaluator().sink());
    } catch (DiagnosticError& error) {
        error.diagnostic.message += cat(" as argument ", i + 1, " of '", name, "'");
        throw;
    }
}

ir::ExprVec convert_arguments(Operations& operations, std::string_view name, const std::vector<ir::TypeRef>& types,
                              Args& args, Span span) {
    if (!args.keywords.empty())
        fail(DiagId::ScriptKeywordArgument, args.keyword_name_spans.empty() ? span : args.keyword_name_spans[0], name,
             args.keywords[0].first);
    if (args.positional.size() != types.size())
        fail(DiagId::ScriptArity, args.positional.size() > types.size() ? args.span_of(types.size(), span) : span, name,
             cat(types.size(), types.size() == 1 ? " argument" : " arguments"), args.positional.size());
    ir::ExprVec out;
    for (std::size_t i = 0; i < types.size(); ++i) {
        Span at = args.span_of(i, span);
        ir::ExprRef value = to_expr(args.positional[i], at);
        if (const auto* reference = ir::as<ir::ReferenceType>(types[i])) {
            bool is_place = ir::as<ir::Var>(value) || ir::as<ir::TensorElement>(value) || ir::as<ir::Deref>(value);
            if (!is_place || !ir::same_type(value->type, reference->base))
                fail(DiagId::ScriptReferenceArgument, at, type_text(reference->base), describe(args.positional[i]));
            if (auto dtype = ir::scalar_of(value->type); dtype && ir::is_subbyte(*dtype) && !ir::as<ir::Var>(value))
                typed(at, [&]() -> ir::ExprRef {
                    throw ir::TypeError(cat("an element of '", ir::info(*dtype).short_name,
                                            "' is smaller than a byte and cannot be given by reference"));
                });
            if (operations.translator())
                operations.translator()->take_address(value);
            out.push_back(value);
        } else {
            out.push_back(convert_argument(operations, name, i, value, types[i], at));
        }
    }
    return out;
}

// The arguments of a call in the order of the parameters, keywords and those that it leaves out among them.
static void complete_arguments(Operations& operations, const TranslatedFunction& callee, Args& args, Span span) {
    const ir::VarVec& params = callee.function->params;
    const std::size_t most = callee.given_parameters(), fewest = most - callee.defaults.size();
    const std::size_t given = args.positional.size(), all = given + args.keywords.size();
    if (callee.defaults.empty() && args.keywords.empty())
        return; // which convert_arguments() counts
    if (all < fewest || all > most)
        fail(DiagId::ScriptArity, given > most ? args.span_of(most, span) : span, callee.name,
             cat(fewest == most ? "" : cat(fewest, " to "), most, most == 1 ? " argument" : " arguments"), all);
    std::vector<Value> values = args.positional; // in the order in which they are written, and evaluated
    for (const auto& keyword : args.keywords)
        values.push_back(keyword.second);
    operations.keep(values, span);
    for (std::size_t i = 0; i < args.keywords.size(); ++i)
        args.keywords[i].second = values[given + i];
    values.resize(given);
    values.resize(most, Value::unbound());
    args.spans.resize(most, span);
    for (std::size_t i = 0; i < args.keywords.size(); ++i) {
        const auto& [name, value] = args.keywords[i];
        const Span at = i < args.keyword_name_spans.size() ? args.keyword_name_spans[i] : span;
        const auto* end = params.data() + most;
        const auto* found =
            std::find_if(params.data(), end, [&](const ir::VarRef& param) { return param->name == name; });
        if (found == end)
            fail(DiagId::UnknownKeyword, at, callee.name, name);
        const auto place = static_cast<std::size_t>(found - params.data());
        if (!values[place].is(ValueKind::Unbound))
            fail(DiagId::RepeatedArgument, at, callee.name, name);
        values[place] = value;
        args.spans[place] = i < args.keyword_spans.size() ? args.keyword_spans[i] : span;
    }
    for (std::size_t i = 0; i < most; ++i)
        if (values[i].is(ValueKind::Unbound)) {
            if (i < fewest)
                fail(DiagId::MissingArgument, span, callee.name, params[i]->name);
            args.spans[i] = span;
            values[i] = Value::expr(callee.defaults[i - fewest]);
        }
    args.positional = std::move(values);
    args.keywords.clear();
}

Value call_function(Operations& operations, const Ref<TranslatedFunction>& callee, Args& args, Span span) {
    for (const Value& value : args.positional)
        if (value.is(ValueKind::Unknown))
            return value;
    for (const auto& [name, value] : args.keywords)
        if (value.is(ValueKind::Unknown))
            return value;
    if (!operations.translator())
        fail(DiagId::ScriptCallFromHost, span, callee->name);
    if (!callee->function)
        return Value::unknown(); // its own mistakes are reported
    const ir::Function& function = *callee->function;
    std::vector<ir::TypeRef> types;
    for (std::size_t i = 0; i < callee->given_parameters(); ++i)
        types.push_back(function.params[i]->type);
    if (function.func_kind == ir::FuncKind::CudaKernel)
        operations.keep(args.positional, span); // the extents of a launch copy them
    complete_arguments(operations, *callee, args, span);
    ir::ExprVec converted = convert_arguments(operations, callee->name, types, args, span);
    operations.translator()->use_function(callee, span);
    if (function.func_kind == ir::FuncKind::CudaKernel) {
        ir::StmtRef stmt = launch(function, converted);
        ir::set_origin(stmt, {span, 0});
        return Value::stmt(stmt);
    }
    if (!callee->results.empty())
        return operations.translator()->call_for_results(callee, std::move(converted), span);
    ir::TypeRef ret = function.ret ? function.ret : ir::void_type();
    return Value::expr(typed(span, [&] { return ir::make_call(function.name, converted, ret); }));
}

// The call is a statement. In the middle of an expression it would run before what stands to its left.
Value ScriptValues::call_for_results(const Ref<TranslatedFunction>& callee, ir::ExprVec args, Span span) {
    if (!(span == m_whole))
        fail(DiagId::ScriptResultsUnnamed, span, callee->name, callee->name);
    emit_kept();
    m_has_called = true;
    std::vector<Value> results;
    for (const ir::TypeRef& type : callee->results) {
        ir::VarRef var = var_at(span, cat(callee->name, "_", results.size()), type);
        emit(ir::make_declare(var));
        m_fixed.push_back(var);
        args.push_back(var);
        results.push_back(Value::expr(var));
    }
    emit(ir::make_evaluate(typed(span, [&] { return ir::make_call(callee->name, args, ir::void_type()); })));
    return Value::tuple(std::move(results));
}

Value Operations::call(const Value& callee, Args& args, Span span) {
    switch (callee.kind()) {
    case ValueKind::Unknown: return callee;
    case ValueKind::Type: return call_type(*this, callee.as_type(), args, span);
    case ValueKind::Layout: { // which copies its indices, as a mapping copies the worker
        ExpressionPart part(*this, PartRuns::Once);
        keep(args.positional, span);
        charge_tree(m_eval, callee, 128, span);
        return part.close(call_layout(callee.as_layout(), args, span), span);
    }
    case ValueKind::Mapping: keep(args.positional, span); return call_mapping(*this, callee.as_mapping(), args, span);
    case ValueKind::ScriptFunction:
        return call_function(*this, Ref<TranslatedFunction>(static_cast<TranslatedFunction*>(callee.object())), args,
                             span);
    case ValueKind::Expr:
        if (ir::as<ir::Var>(callee.as_expr()))
            return call_extern(*this, ir::cast<ir::Var>(callee.as_expr()), args, span);
        break;
    default: break;
    }
    fail(DiagId::ScriptNotCallable, span, describe(callee));
}

} // namespace hidet::lang
