// SPDX-License-Identifier: Apache-2.0
// Calls of IR values: casts, script functions, kernels (which become launches), extern functions.
#include <cmath>
#include <limits>

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
class ArgumentSubstitution : public ir::Rewriter {
public:
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

// The last arguments that a call leaves out.
static void add_defaults(const TranslatedFunction& callee, Args& args, Span span) {
    const std::size_t most = callee.function->params.size(), fewest = most - callee.defaults.size();
    const std::size_t given = args.positional.size();
    if (callee.defaults.empty() || !args.keywords.empty())
        return;
    if (given < fewest || given > most)
        fail(DiagId::ScriptArity, given > most ? args.span_of(most, span) : span, callee.name,
             cat(fewest, " to ", most, most == 1 ? " argument" : " arguments"), given);
    for (std::size_t i = given; i < most; ++i)
        args.positional.push_back(Value::expr(callee.defaults[i - fewest]));
}

Value call_function(Operations& operations, const Ref<TranslatedFunction>& callee, Args& args, Span span) {
    for (const Value& value : args.positional)
        if (value.is(ValueKind::Unknown))
            return value;
    if (!operations.translator())
        fail(DiagId::ScriptCallFromHost, span, callee->name);
    if (!callee->function)
        return Value::unknown(); // its own mistakes are reported
    const ir::Function& function = *callee->function;
    std::vector<ir::TypeRef> types;
    for (const ir::VarRef& param : function.params)
        types.push_back(param->type);
    if (function.func_kind == ir::FuncKind::CudaKernel)
        operations.keep(args.positional, span); // the extents of a launch copy them
    add_defaults(*callee, args, span);
    ir::ExprVec converted = convert_arguments(operations, callee->name, types, args, span);
    operations.translator()->use_function(callee, span);
    if (function.func_kind == ir::FuncKind::CudaKernel) {
        ir::StmtRef stmt = launch(function, converted);
        ir::set_origin(stmt, {span, 0});
        return Value::stmt(stmt);
    }
    ir::TypeRef ret = function.ret ? function.ret : ir::void_type();
    return Value::expr(typed(span, [&] { return ir::make_call(function.name, converted, ret); }));
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
