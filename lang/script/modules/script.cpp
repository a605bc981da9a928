// SPDX-License-Identifier: Apache-2.0
// hidet.script and what every script uses: loops, casts, addresses, printf, assembly.
#include "compiler/ir/assembly.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"
#include "lang/host/arguments.h"
#include "lang/script/format.h"
#include "lang/script/module.h"
#include "lang/script/modules/exports.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

using Members = std::vector<std::pair<std::string, Value>>;

// ---- loops -----------------------------------------------------------------------------------------------------------

Value make_grid(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "grid", {"*extents", "attrs=", "bind_tuple="});
    Spread extents = spread(args, call);
    auto loop = Ref<LoopIterable>(new LoopIterable);
    loop->what = LoopIterable::What::Grid;
    loop->bind_tuple = args.positional.size() == 1 && is_sequence(args.positional[0]);
    Value attrs = a.or_none(0);
    Span attrs_span = a.given(0) ? a.span(0) : call;
    if (!extents.items.empty() && extents.items.back().is(ValueKind::Str)) {
        attrs = extents.items.back();
        attrs_span = extents.spans.back();
        extents.items.pop_back();
        loop->bind_tuple = extents.items.size() == 1 && is_sequence(extents.items[0]);
        if (loop->bind_tuple)
            extents = {std::vector<Value>(extents.items[0].items()),
                       std::vector<Span>(extents.items[0].items().size(), call)};
    }
    if (extents.items.empty())
        fail(DiagId::ScriptNoExtents, call);
    for (std::size_t i = 0; i < extents.items.size(); ++i)
        loop->extents.push_back(to_extent(extents.items[i], extents.spans[i]));
    loop->extents = Operations::of(evaluator).fold_known(loop->extents);
    loop->attrs = read_loop_attrs(attrs, loop->extents.size(), attrs_span);
    if (a.given(1))
        loop->bind_tuple = to_bool(a[1], a.span(1), "'bind_tuple'");
    loop->span = call;
    return Value::extension(loop);
}

Value meta_range(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "meta.range", {"extent"});
    want_known(a[0]);
    std::int64_t extent = to_int(a[0], a.span(0), "the extent of meta.range()");
    std::vector<Value> items;
    for (std::int64_t i = 0; i < extent; ++i) {
        evaluator.charge_steps(1, call);
        items.push_back(Value::integer(i));
    }
    return new_extension<MetaLoop>(std::move(items));
}

Value meta_each(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "meta.each", {"iterable"});
    return new_extension<MetaLoop>(evaluator.iterate(a[0], a.span(0)));
}

Value meta_types(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "meta.types", {"arg_types"});
    std::vector<ir::TypeRef> types;
    for (const Value& item : evaluator.iterate(a[0], a.span(0)))
        types.push_back(to_type(item, a.span(0)));
    return new_extension<TypesAnnotation>(std::move(types));
}

// ---- expressions -----------------------------------------------------------------------------------------------------

Value make_cast(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::TypeRef type = to_type(a[1], a.span(1));
    if (const auto* tensor = ir::as<ir::TensorType>(type))
        type = ir::tensor_pointer_type(ir::self(*tensor));
    Args value{.positional = {a[0]}, .spans = {a.span(0)}};
    return call_type(Operations::of(evaluator), type, value, call);
}

Value make_address(Evaluator& evaluator, const Arguments& a, Span) {
    return Operations::of(evaluator).unary(ast::UnaryOp::Invert, a[0], a.span(0));
}

Value make_deref(Evaluator&, const Arguments& a, Span call) {
    ir::ExprRef pointer = to_expr(a[0], a.span(0));
    if (!ir::as<ir::PointerType>(pointer->type))
        fail(DiagId::ScriptNotAPointer, a.span(0), describe(a[0]));
    return Value::expr(typed(call, [&] { return ir::make_deref(pointer); }));
}

Value make_bitwise_not(Evaluator&, const Arguments& a, Span call) {
    return Value::expr(typed(call, [&] { return ir::bit_not(to_expr(a[0], a.span(0))); }));
}

Value make_if_then_else(Evaluator& evaluator, const Arguments& a, Span call) {
    return Operations::of(evaluator).select(a[0], a[1], a[2], call);
}

NativeFunction make_logical(bool is_and) {
    return [is_and](Evaluator& evaluator, Args& args, Span call) {
        Spread operands = spread(args, call);
        if (operands.items.empty())
            return Value::boolean(is_and);
        Value out = operands.items[0];
        for (std::size_t i = 1; i < operands.items.size(); ++i)
            out =
                Operations::of(evaluator).logical(is_and, out, operands.items[i], operands.spans[0], operands.spans[i]);
        return out;
    };
}

Value make_logical_not(Evaluator& evaluator, const Arguments& a, Span) {
    return a[0].is(ValueKind::Expr) ? Operations::of(evaluator).unary(ast::UnaryOp::Not, a[0], a.span(0))
                                    : Value::boolean(!evaluator.truth(a[0], a.span(0)));
}

Value make_printf(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "printf", {"format_string", "*arguments"});
    const std::string format = kernel_text(to_text(a[0], a.span(0), "the format of printf()"), a.span(0));
    ir::ExprVec values{ir::string_constant(format)};
    for (std::size_t i = 1; i < args.positional.size(); ++i) {
        Span span = args.span_of(i, call);
        if (is_sequence(args.positional[i]))
            fail(DiagId::ScriptNotAValue, span, describe(args.positional[i]));
        values.push_back(to_expr(args.positional[i], span));
    }
    std::vector<Span> spans(args.spans.begin(), args.spans.end());
    check_format(format, a.span(0), values, spans, evaluator.sink());
    return Value::expr(
        typed(call, [&] { return ir::make_intrinsic(ir::IntrinsicId::Printf, values, ir::void_type()); }));
}

Value make_assume(Evaluator&, const Arguments& a, Span call) {
    return Value::expr(typed(call, [&] {
        ir::ExprRef condition = ir::as_condition(to_expr(a[0], a.span(0)));
        return ir::make_intrinsic(ir::IntrinsicId::Assume, {condition}, ir::void_type());
    }));
}

// The letter by which inline assembly knows an operand.
std::string constraint(const ir::ExprRef& operand, Span span) {
    if (ir::as<ir::Constant>(operand))
        return "n";
    if (ir::is_pointer(operand->type))
        return "l";
    auto dtype = ir::scalar_of(operand->type);
    if (!dtype || ir::is_subbyte(*dtype))
        fail(DiagId::ScriptAsmOperand, span, type_text(operand->type));
    if (*dtype == ir::DType::F32 || *dtype == ir::DType::TF32)
        return "f";
    if (*dtype == ir::DType::F64)
        return "d";
    int bits = ir::info(*dtype).bits;
    if (bits > 64)
        fail(DiagId::ScriptAsmOperand, span, type_text(operand->type));
    return bits <= 16 ? "h" : bits == 32 ? "r" : "l";
}

Value make_asm(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::AsmStmt stmt;
    stmt.text = to_text(a[0], a.span(0), "the text of asm()");
    auto each = [&](std::size_t i, auto&& take) {
        if (a.has(i))
            for (const Value& item : evaluator.iterate(a[i], a.span(i)))
                take(to_expr(item, a.span(i)));
    };
    auto output = [&](std::size_t i, const char* prefix) {
        each(i, [&](const ir::ExprRef& operand) {
            if (!ir::as<ir::Var>(operand) && !ir::as<ir::TensorElement>(operand) && !ir::as<ir::Deref>(operand))
                fail(DiagId::ScriptNoAddress, a.span(i), describe(Value::expr(operand)));
            stmt.output_labels.push_back(prefix + constraint(operand, a.span(i)));
            stmt.outputs.push_back(operand);
        });
    };
    output(1, "=");
    output(2, "+");
    each(3, [&](const ir::ExprRef& operand) {
        stmt.input_labels.push_back(constraint(operand, a.span(3)));
        stmt.inputs.push_back(operand);
    });
    stmt.is_volatile = a.given(4) && to_bool(a[4], a.span(4), "'is_volatile'");
    stmt.memory_fence = a.given(5) && to_bool(a[5], a.span(5), "'memory_fence'");
    if (const std::string complaint = ir::read_assembly(stmt).complaint; !complaint.empty())
        fail(DiagId::ScriptAsmText, a.span(0), complaint);
    Operations::of(evaluator).need_gpu("asm", call);
    return Value::stmt(ir::make<ir::AsmStmt>(std::move(stmt)));
}

Value make_symbol(Evaluator& evaluator, const Arguments& a, Span) {
    ir::TypeRef type = a.given(1) ? to_type(a[1], a.span(1)) : ir::data_type(ir::DType::I32);
    const auto* data = ir::as<ir::DataType>(type);
    if (!ir::is_pointer(type) && !(data && ir::is_integer(data->dtype)))
        fail(DiagId::ScriptSymbolType, a.span(1), type_text(type));
    std::string name = to_text(a[0], a.span(0), "the name of a symbol");
    ir::TypeRef known = Operations::of(evaluator).symbol(name, type);
    if (!ir::same_type(known, type))
        fail(DiagId::ScriptSymbolAgain, a.span(0), name, type_text(known));
    return Value::expr(ir::make_symbol(std::move(name), type));
}

} // namespace

Value make_range(Operations& operations, Args& args, Span call) {
    if (!args.keywords.empty() || args.positional.empty() || args.positional.size() > 3)
        fail(DiagId::ScriptArity, call, "range", "1 to 3 arguments", args.positional.size());
    auto loop = Ref<LoopIterable>(new LoopIterable);
    auto bound = [&](std::size_t i) {
        Span span = args.span_of(i, call);
        const Value& value = args.positional[i];
        ir::ExprRef expr = value.is_number() || value.is(ValueKind::Expr) || value.is(ValueKind::Unknown)
                               ? to_expr(value, span)
                               : nullptr;
        auto dtype = expr ? ir::scalar_of(expr->type) : std::nullopt;
        if (!dtype || !ir::is_integer(*dtype) || *dtype == ir::DType::Bool)
            fail(DiagId::ScriptBadRange, span, describe(value));
        return operations.fold_known({expr})[0];
    };
    if (args.positional.size() == 1) {
        loop->stop = bound(0);
    } else {
        loop->start = bound(0);
        loop->stop = bound(1);
        if (args.positional.size() == 3)
            loop->step = bound(2);
    }
    loop->span = call;
    return Value::extension(loop);
}

void export_loops(HostModule& module) {
    module.function("grid", make_grid);
    module.function("range", [](Evaluator& evaluator, Args& args, Span call) {
        return make_range(Operations::of(evaluator), args, call);
    });
    module.add("meta", new_extension<Namespace>("meta", Members{
                                                            {"range", Value::native("range", meta_range)},
                                                            {"each", Value::native("each", meta_each)},
                                                            {"types", Value::native("types", meta_types)},
                                                        }));
}

void export_expressions(HostModule& module) {
    module.function("cast", {"expr", "dtype"}, make_cast);
    module.function("address", {"expr"}, make_address);
    module.function("deref", {"address"}, make_deref);
    module.function("bitwise_not", {"a"}, make_bitwise_not);
    module.function("if_then_else", {"cond", "then_expr", "else_expr"}, make_if_then_else);
    module.function("logical_and", make_logical(true));
    module.function("logical_or", make_logical(false));
    module.function("logical_not", {"a"}, make_logical_not);
    module.function("printf", make_printf);
    module.function("asm", {"template", "*", "outputs=", "output_inputs=", "inputs=", "is_volatile=", "memory_fence="},
                    make_asm);
    module.function("__builtin_assume", {"cond"}, make_assume);
}

void export_symbols(HostModule& module) {
    module.function("symbol_var", {"name", "dtype="}, make_symbol);
}

void export_script(HostModule& module) {
    module.add("script", new_extension<ScriptDecorator>());
    module.function("script_module", {},
                    [](Evaluator&, const Arguments&, Span) { return new_extension<ScriptModule>(); });
    export_symbols(module);
    Value attrs = new_extension<AttrsObject>(AttrsObject::Part::Root);
    module.add("attrs", attrs);
    module.add("attr", attrs); // its name in older versions
}

} // namespace hidet::lang
