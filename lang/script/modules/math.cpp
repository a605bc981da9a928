// SPDX-License-Identifier: Apache-2.0
// The math functions of hidet.ir.primitives, and host functions of hidet.lang.runtime and hidet.lang.cpu.
#include "lang/host/arguments.h"
#include "lang/script/modules/exports.h"
#include "lang/script/modules/intrinsics.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

NativeFunction math_function(const ir::IntrinsicInfo& row) {
    return [id = row.id, name = row.short_name(), count = row.parameters.size()](Evaluator&, Args& args, Span call) {
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

// C's: of the sign of the first operand, where `%` has that of the second.
Value mod(Evaluator&, const Arguments& a, Span call) {
    const ir::ExprRef x = to_expr(a[0], a.span(0)), y = to_expr(a[1], a.span(1));
    const auto divisor = ir::constant_int(y);
    if (const auto dtype = ir::scalar_of(x->type); divisor == 0 && dtype && ir::is_integer(*dtype))
        fail(DiagId::ScriptDivisionByZero, a.span(1));
    return Value::expr(typed(call, [&] { return ir::truncating_mod(x, y); }));
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

// complex64 of two parts, or complex128 where one of them is f64.
Value make_complex(Evaluator&, const Arguments& a, Span call) {
    ir::ExprVec parts;
    bool is_wide = false;
    for (std::size_t i = 0; i < 2; ++i) {
        const ir::ExprRef part = to_expr(a[i], a.span(i));
        const auto dtype = ir::scalar_of(part->type);
        if (!dtype || (!ir::is_integer(*dtype) && !ir::is_float(*dtype)))
            fail(DiagId::ScriptBadOperand, a.span(i), "make_complex", describe(a[i]));
        is_wide = is_wide || *dtype == ir::DType::F64;
        parts.push_back(part);
    }
    for (ir::ExprRef& part : parts)
        part = typed(call, [&] { return ir::cast_to(part, is_wide ? ir::DType::F64 : ir::DType::F32); });
    const ir::TypeRef type = ir::data_type(is_wide ? ir::DType::C128 : ir::DType::C64);
    return Value::expr(typed(call, [&] { return ir::make_intrinsic(ir::IntrinsicId::MakeVector, parts, type); }));
}

ir::ExprRef complex_argument(const Arguments& a, std::string_view name) {
    const ir::ExprRef value = to_expr(a[0], a.span(0));
    const auto dtype = ir::scalar_of(value->type);
    if (!dtype || !ir::is_complex(*dtype))
        fail(DiagId::ScriptBadOperand, a.span(0), name, describe(a[0]));
    return value;
}

ir::ExprRef part_of(const ir::ExprRef& value, int which) {
    const ir::TypeRef type = ir::data_type(ir::info(*ir::scalar_of(value->type)).lane);
    return ir::make_intrinsic(ir::IntrinsicId::VectorLane, {value, ir::int_constant(which)}, type);
}

NativeFunction complex_part(std::string name, int which) {
    return [name, which](Evaluator&, Args& args, Span call) {
        Arguments a(args, call, name, {"x"});
        const ir::ExprRef value = complex_argument(a, name);
        return Value::expr(typed(call, [&] { return part_of(value, which); }));
    };
}

Value conjugate(Evaluator& evaluator, Args& args, Span call) {
    Operations::of(evaluator).keep(args.positional, call); // named twice
    Arguments a(args, call, "conj", {"x"});
    const ir::ExprRef value = complex_argument(a, "conj");
    return Value::expr(typed(call, [&] {
        const ir::ExprVec parts{part_of(value, 0), ir::negate(part_of(value, 1))};
        return ir::make_intrinsic(ir::IntrinsicId::MakeVector, parts, value->type);
    }));
}

Value convert(Evaluator& evaluator, const Arguments& a, Span call) {
    Args value{.positional = {a[0]}, .spans = {a.span(0)}};
    return call_type(Operations::of(evaluator), ir::data_type(to_dtype(a[1], a.span(1))), value, call);
}

NativeFunction workspace(std::string name, ir::MemoryDevice device) {
    return [name, device](Evaluator& evaluator, Args& args, Span call) {
        Arguments a(args, call, name, {"nbytes", "require_clean="});
        Operations::of(evaluator).need_host(name, call);
        ir::ExprRef bytes =
            convert_to(to_expr(a[0], a.span(0)), ir::data_type(ir::DType::I64), a.span(0), evaluator.sink());
        ir::ExprRef clean = ir::bool_constant(a.given(1) && to_bool(a[1], a.span(1), "'require_clean'"));
        ir::TypeRef type = ir::pointer_type(ir::void_type());
        return Value::expr(typed(call, [&] {
            ir::IntrinsicAttr attr = ir::with(ir::default_attr(ir::IntrinsicId::RequestWorkspace), device);
            return ir::make_intrinsic(attr, {bytes, clean}, type);
        }));
    };
}

// Of avx_malloc(size, align) and aligned_alloc(alignment, size).
NativeFunction allocation(std::string name, std::array<std::string_view, 2> parameters) {
    return [name, parameters](Evaluator& evaluator, Args& args, Span call) {
        Arguments a(args, call, name, parameters);
        Operations::of(evaluator).need_host(name, call);
        const std::size_t size = parameters[0] == "size" ? 0 : 1;
        ir::ExprRef bytes = converted(evaluator, a[size], ir::DType::I64, a.span(size));
        ir::ExprRef align = converted(evaluator, a[1 - size], ir::DType::I64, a.span(1 - size));
        return Value::expr(typed(call, [&] {
            return ir::make_intrinsic(ir::default_attr(ir::IntrinsicId::CpuAllocate), {bytes, align},
                                      ir::pointer_type(ir::void_type()));
        }));
    };
}

Value copy_bytes(Evaluator& evaluator, const Arguments& a, Span call) {
    Operations::of(evaluator).need_host("x86_memcpy", call);
    ir::ExprVec operands{pointer_argument(a[0], a.span(0)), pointer_argument(a[1], a.span(1)),
                         converted(evaluator, a[2], ir::DType::I64, a.span(2))};
    const auto attr = ir::with(ir::default_attr(ir::IntrinsicId::MemcpyAsync), ir::CopyKind::cpu_to_cpu);
    return Value::expr(typed(call, [&] { return ir::make_intrinsic(attr, std::move(operands), nullptr); }));
}

} // namespace

void export_math(HostModule& module) {
    for (const ir::IntrinsicInfo& row : ir::all_intrinsics())
        if (row.category == ir::IntrinsicCategory::Math)
            module.function(std::string(row.short_name()), math_function(row));
    module.function("mod", {"x", "y"}, mod);
    module.function("make_vector", make_vector);
    module.function("make_complex", {"real", "imag"}, make_complex);
    module.function("real", complex_part("real", 0));
    module.function("imag", complex_part("imag", 1));
    module.function("conj", conjugate);
    module.function("cvt", {"expr", "dtype"}, convert);
}

void export_cpu(Evaluator&, HostModule& module) {
    export_intrinsics(module, "cpu");
    module.function("avx_malloc", allocation("avx_malloc", {"size", "align"}));
    module.function("aligned_alloc", allocation("aligned_alloc", {"alignment", "size"}));
    module.function("x86_memcpy", {"dst", "src", "num"}, copy_bytes);
}

void export_runtime(Evaluator&, HostModule& module) {
    export_intrinsics(module, "runtime");
    export_magic_numbers(module);
    module.function("memcpy_async", intrinsic_function(ir::IntrinsicId::MemcpyAsync, "memcpy_async"));
    module.function("request_cuda_workspace", workspace("request_cuda_workspace", ir::MemoryDevice::cuda));
    module.function("request_cpu_workspace", workspace("request_cpu_workspace", ir::MemoryDevice::cpu));
}

} // namespace hidet::lang
