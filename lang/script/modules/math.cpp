// SPDX-License-Identifier: Apache-2.0
// The math functions of hidet.ir.primitives, and host functions of hidet.lang.runtime and hidet.lang.cpu.
#include "lang/host/arguments.h"
#include "lang/script/modules/exports.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

NativeFunction math_function(std::string name, ir::IntrinsicId id, std::size_t count) {
    return [name = std::move(name), id, count](Evaluator&, Args& args, Span call) {
        if (!args.keywords.empty())
            fail(DiagId::ScriptKeywordArgument, args.keyword_name_spans.empty() ? call : args.keyword_name_spans[0],
                 name, args.keywords[0].first);
        if (args.positional.size() != count)
            fail(DiagId::ScriptArity, call, name, cat(count, count == 1 ? " argument" : " arguments"),
                 args.positional.size());
        ir::ExprVec values;
        for (std::size_t i = 0; i < count; ++i)
            values.push_back(to_expr(args.positional[i], args.span_of(i, call)));
        return Value::expr(typed(call, [&] { return ir::math(id, values); }));
    };
}

Value mod(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "mod", {"x", "y"});
    return Operations::of(evaluator).binary(ast::BinaryOp::Mod, Value::expr(to_expr(a[0], a.span(0))), a[1], a.span(0),
                                            a.span(1));
}

Value make_vector(Evaluator& evaluator, Args& args, Span call) {
    Spread items = spread(args, call);
    if (items.items.empty())
        fail(DiagId::ScriptNoExtents, call);
    ir::ExprVec values;
    for (std::size_t i = 0; i < items.items.size(); ++i)
        values.push_back(to_expr(items.items[i], items.spans[i]));
    auto lane = ir::scalar_of(values[0]->type);
    for (const ir::DTypeInfo& row : ir::all_dtypes()) {
        bool fits = lane && row.cls == ir::DTypeClass::Vector && row.lane == *lane &&
                    static_cast<std::size_t>(row.lanes) == values.size();
        if (!fits)
            continue;
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = convert_to(values[i], ir::data_type(*lane), items.spans[i], evaluator.sink());
        ir::TypeRef type = ir::data_type(row.dtype);
        return Value::expr(typed(call, [&] { return ir::make_intrinsic(ir::IntrinsicId::MakeVector, values, type); }));
    }
    fail(DiagId::ScriptNoVectorType, call, values.size(), type_text(values[0]->type));
}

Value convert(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "cvt", {"expr", "dtype"});
    Args value;
    value.positional.push_back(a[0]);
    value.spans.push_back(a.span(0));
    return call_type(Operations::of(evaluator), ir::data_type(to_dtype(a[1], a.span(1))), value, call);
}

NativeFunction workspace(std::string name, std::string device) {
    return [name, device](Evaluator& evaluator, Args& args, Span call) {
        Arguments a(args, call, name, {"nbytes", "require_clean="});
        Operations::of(evaluator).need_host(name, call);
        ir::ExprRef bytes =
            convert_to(to_expr(a[0], a.span(0)), ir::data_type(ir::DType::I64), a.span(0), evaluator.sink());
        ir::ExprRef clean = ir::bool_constant(a.given(1) && to_bool(a[1], a.span(1), "'require_clean'"));
        ir::TypeRef type = ir::pointer_type(ir::void_type());
        return Value::expr(typed(call, [&] {
            return ir::make_intrinsic(ir::IntrinsicId::RequestWorkspace, {bytes, clean}, type, device);
        }));
    };
}

Value get_symbol_value(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "get_symbol_value", {"symbol_name"});
    Operations::of(evaluator).need_host("get_symbol_value", call);
    ir::ExprRef name = ir::string_constant(to_text(a[0], a.span(0), "the name of a symbol"));
    return Value::expr(typed(call, [&] {
        return ir::make_intrinsic(ir::IntrinsicId::GetSymbolValue, {name}, ir::data_type(ir::DType::I32));
    }));
}

Value set_symbol_value(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "set_symbol_value", {"symbol_name", "value"});
    Operations::of(evaluator).need_host("set_symbol_value", call);
    ir::ExprRef name = ir::string_constant(to_text(a[0], a.span(0), "the name of a symbol"));
    ir::ExprRef value =
        convert_to(to_expr(a[1], a.span(1)), ir::data_type(ir::DType::I32), a.span(1), evaluator.sink());
    return Value::expr(typed(call, [&] {
        return ir::make_intrinsic(ir::IntrinsicId::SetSymbolValue, {name, value}, ir::void_type());
    }));
}

NativeFunction memory_copy(std::string name) {
    return [name](Evaluator& evaluator, Args& args, Span call) {
        Arguments a(args, call, name, {"dst", "src", "count", "kind"});
        Operations::of(evaluator).need_host(name, call);
        std::string kind = to_text(a[3], a.span(3), "'kind'");
        std::vector<std::string> kinds{"cpu_to_cpu", "cpu_to_cuda", "cuda_to_cpu", "cuda_to_cuda"};
        if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
            throw DiagnosticError(
                Diagnostic::make(DiagId::ScriptUnknownChoice, a.span(3), "kind", kind, join(kinds, ", "))
                    .suggest(a.span(3), kind, kinds));
        ir::ExprVec values;
        for (std::size_t i = 0; i < 2; ++i) {
            values.push_back(to_expr(a[i], a.span(i)));
            if (!ir::is_pointer(values.back()->type))
                fail(DiagId::ScriptNotAPointer, a.span(i), describe(a[i]));
        }
        values.push_back(
            convert_to(to_expr(a[2], a.span(2)), ir::data_type(ir::DType::I64), a.span(2), evaluator.sink()));
        return Value::expr(typed(
            call, [&] { return ir::make_intrinsic(ir::IntrinsicId::MemcpyAsync, values, ir::void_type(), kind); }));
    };
}

} // namespace

void export_math(HostModule& module) {
#define HIDET_SCRIPT_MATH(python, lang, Id, count, sentence)                                                           \
    if (lang[0])                                                                                                       \
        module.function(lang, math_function(lang, ir::IntrinsicId::Id, count));
#include "lang/script/math.def"
#undef HIDET_SCRIPT_MATH
    module.function("mod", mod);
    module.function("make_vector", make_vector);
    module.function("cvt", convert);
}

void export_cpu(HostModule& module) {
    export_unsupported(module, "cpu");
}

void export_runtime(HostModule& module) {
    export_unsupported(module, "runtime");
    module.function("request_cuda_workspace", workspace("request_cuda_workspace", "cuda"));
    module.function("request_cpu_workspace", workspace("request_cpu_workspace", "cpu"));
    module.function("get_symbol_value", get_symbol_value);
    module.function("set_symbol_value", set_symbol_value);
    module.function("memcpy", memory_copy("memcpy"));
    module.function("memcpy_async", memory_copy("memcpy_async"));
}

void export_unsupported(HostModule& module, std::string_view group) {
#define HIDET_SCRIPT_UNSUPPORTED(which, name)                                                                          \
    if (group == #which)                                                                                               \
        module.add(name, new_extension<UnsupportedObject>(name));
#include "lang/script/unsupported.def"
#undef HIDET_SCRIPT_UNSUPPORTED
}

} // namespace hidet::lang
