// SPDX-License-Identifier: Apache-2.0
// Data types, other types, and the makers of tensors.
#include "compiler/ir/names.h"
#include "lang/host/arguments.h"
#include "lang/script/modules/exports.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

Value dtype_value(ir::DType dtype) {
    return Value::type(ir::data_type(dtype));
}

ir::Scope scope_named(const Value* value, Span span) {
    if (!value || value->is(ValueKind::None))
        return ir::Scope::Default;
    std::string name = to_text(*value, span, "'scope'");
    if (name == "global")
        return ir::Scope::Global;
    if (name == "shared")
        return ir::Scope::Shared;
    if (name == "register")
        return ir::Scope::Register;
    if (name == "default" || name == "")
        return ir::Scope::Default;
    throw DiagnosticError(Diagnostic::make(DiagId::ScriptUnknownScope, span, name)
                              .suggest(span, name, {"global", "shared", "register", "default"}));
}

ir::LayoutRef layout_argument(Evaluator& evaluator, const Value* value, Span span) {
    return !value || value->is(ValueKind::None) ? nullptr : to_layout(evaluator, *value, span);
}

// The type that `dtype`, `shape` and `layout` describe; one of the last two may be missing.
Ref<const ir::TensorType> tensor_argument(Evaluator& evaluator, const Arguments& a, std::size_t dtype, Span call) {
    for (std::size_t i = dtype; i < dtype + 3; ++i)
        if (a.find(i) && a[i].is(ValueKind::Unknown))
            throw UnknownValue{};
    ir::TypeRef element = to_type(a[dtype], a.span(dtype));
    if (!ir::as<ir::DataType>(element) && !ir::as<ir::PointerType>(element))
        fail(DiagId::ScriptNotADtype, a.span(dtype), type_text(element));
    ir::LayoutRef layout = layout_argument(evaluator, a.find(dtype + 2), a.span(dtype + 2));
    if (layout) {
        of_a_tensor(ir::shape_of(layout), a.span(dtype + 2));
        of_a_tensor({ir::size_of(layout)}, a.span(dtype + 2)); // of the memory, with its strides
    }
    const Value* shape_value = a.find(dtype + 1);
    if (!shape_value || shape_value->is(ValueKind::None)) {
        if (!layout)
            fail(DiagId::ScriptNoShape, call);
        return ir::tensor_type(element, ir::shape_of(layout), layout);
    }
    ir::ExprVec shape =
        of_a_tensor(Operations::of(evaluator).fold_known(to_shape(*shape_value, a.span(dtype + 1))), a.span(dtype + 1));
    if (layout) {
        ir::ExprVec expected = ir::shape_of(layout);
        bool same = expected.size() == shape.size();
        for (std::size_t i = 0; same && i < shape.size(); ++i) {
            auto x = ir::constant_int(shape[i]), y = ir::constant_int(expected[i]);
            same = !x || !y || *x == *y;
        }
        if (!same)
            fail(DiagId::ScriptLayoutShape, a.span(dtype + 1), extents_text(shape), extents_text(expected));
    }
    return ir::tensor_type(element, std::move(shape), layout);
}

Value make_tensor(Evaluator& evaluator, const Arguments& a, Span call) {
    auto type = tensor_argument(evaluator, a, 0, call);
    bool is_static = a.given(4) && to_bool(a[4], a.span(4), "'is_static'");
    return new_extension<Declaration>("tensor", type, scope_named(a.find(3), a.span(3)), is_static, nullptr);
}

NativeFunction scoped_tensor(std::string name, ir::Scope scope) {
    return [name, scope](Evaluator& evaluator, Args& args, Span call) {
        Arguments a(args, call, name, {"dtype", "shape=", "layout="});
        return new_extension<Declaration>(name, tensor_argument(evaluator, a, 0, call), scope, false, nullptr);
    };
}

Value make_tensor_pointer(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::TypeRef type = ir::tensor_pointer_type(tensor_argument(evaluator, a, 0, call));
    ir::ExprRef init;
    if (a.has(3)) {
        init = to_expr(a[3], a.span(3));
        if (!ir::is_pointer(init->type))
            fail(DiagId::ScriptNotAPointer, a.span(3), describe(a[3]));
        init = typed(a.span(3), [&] { return ir::cast_to(init, type); });
    }
    return new_extension<Declaration>("tensor_pointer", type, ir::Scope::Default, false, init);
}

Value make_as_tensor_pointer(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::ExprRef pointer = to_expr(a[0], a.span(0));
    bool integer = ir::scalar_of(pointer->type) && ir::is_integer(*ir::scalar_of(pointer->type));
    if (!ir::is_pointer(pointer->type) && !integer && !ir::as<ir::TensorType>(pointer->type))
        fail(DiagId::ScriptNotAPointer, a.span(0), describe(a[0]));
    ir::TypeRef type = ir::tensor_pointer_type(tensor_argument(evaluator, a, 1, call));
    return Value::expr(typed(call, [&] { return ir::cast_to(pointer, type); }));
}

Value make_view(Evaluator&, const Arguments& a, Span call) {
    ir::TypeRef type = to_type(a[1], a.span(1));
    const auto* tensor = ir::as<ir::TensorType>(type);
    if (!tensor)
        fail(DiagId::ScriptNotATensorType, a.span(1), type_text(type));
    ir::ExprRef pointer = to_expr(a[0], a.span(0));
    return Value::expr(typed(call, [&] { return ir::cast_to(pointer, ir::tensor_pointer_type(ir::self(*tensor))); }));
}

Value make_tensor_type(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "tensor_type", {"dtype", "shape=", "layout="});
    return Value::type(tensor_argument(evaluator, a, 0, call));
}

Value make_tensor_pointer_type(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "tensor_pointer_type", {"dtype", "shape=", "layout="});
    return Value::type(ir::tensor_pointer_type(tensor_argument(evaluator, a, 0, call)));
}

Value make_pointer_type(Evaluator&, Args& args, Span call) {
    Arguments a(args, call, "PointerType", {"base_type", "specifiers=", "use_bracket="});
    return Value::type(ir::pointer_type(to_type(a[0], a.span(0))));
}

Value make_reference_type(Evaluator&, const Arguments& a, Span) {
    return Value::type(ir::reference_type(to_type(a[0], a.span(0))));
}

Value make_opaque_type(Evaluator&, const Arguments& a, Span call) {
    const std::string name = a.str(0);
    if (!ir::is_opaque_name(name))
        fail(DiagId::ScriptOpaqueName, a.span(0), quote(name.substr(0, 128)));
    std::vector<std::string> modifiers;
    for (const Value& modifier : a.rest()) {
        modifiers.push_back(to_text(modifier, call, "a modifier"));
        if (!ir::is_opaque_modifier(modifiers.back()))
            fail(DiagId::ScriptUnknownChoice, call, "a modifier", modifiers.back(),
                 "const, volatile, __grid_constant__, __restrict__");
    }
    return Value::type(ir::opaque_type(name, std::move(modifiers)));
}

Value find_data_type(Evaluator&, Args& args, Span call) {
    Arguments a(args, call, "data_type", {"dtype"});
    return dtype_value(to_dtype(a[0], a.span(0)));
}

Value vector_of(const Arguments& a, Span call) {
    ir::DType base = to_dtype(a[0], a.span(0));
    std::int64_t lanes = to_int(a[1], a.span(1), "'num_lanes'");
    if (base == ir::DType::Bool && lanes == 4)
        return dtype_value(ir::DType::I8x4);
    for (const ir::DTypeInfo& row : ir::all_dtypes())
        if (row.cls == ir::DTypeClass::Vector && row.lane == base && row.lanes == lanes)
            return dtype_value(row.dtype);
    fail(DiagId::ScriptNoVectorType, call, lanes, ir::info(base).short_name);
}

Value vectorize(Evaluator&, Args& args, Span call) {
    return vector_of(Arguments(args, call, "vectorize", {"base_dtype", "num_lanes"}), call);
}
Value make_vector_type(Evaluator&, Args& args, Span call) {
    return vector_of(Arguments(args, call, "VectorType", {"lane_type", "num_lanes"}), call);
}
bool is_vector_type(const Value& value) {
    const auto dtype = value.is(ValueKind::Type) ? ir::scalar_of(value.as_type()) : std::nullopt;
    return dtype && ir::is_vector(*dtype);
}

} // namespace

void export_dtypes(HostModule& module) {
    for (const ir::DTypeInfo& row : ir::all_dtypes()) {
        if (row.dtype == ir::DType::Bool)
            continue; // Python's bool is no name of these modules
        module.add(row.name, dtype_value(row.dtype));
        module.add(row.short_name, dtype_value(row.dtype));
    }
    module.add("boolean", dtype_value(ir::DType::Bool));
    module.add("short", dtype_value(ir::DType::I16));
    module.function("data_type", find_data_type);
    module.function("vectorize", vectorize);
    module.add("default_int_dtype", dtype_value(ir::DType::I32));
    module.add("default_index_dtype", dtype_value(ir::DType::I64));
    module.add("default_float_dtype", dtype_value(ir::DType::F32));
}

ir::TypeRef tensor_type_of(Evaluator& evaluator, Args& args, Span call) {
    return make_tensor_type(evaluator, args, call).as_type();
}

template <class T>
static bool is_type(const Value& value) {
    return value.is(ValueKind::Type) && ir::as<T>(value.as_type());
}

static Value make_func_type(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "FuncType", {"param_types", "ret_type="});
    std::vector<ir::TypeRef> params;
    for (const Value& param : evaluator.iterate(a[0], a.span(0)))
        params.push_back(to_type(param, a.span(0)));
    const bool has_result = a.has(1);
    return Value::type(ir::func_type(std::move(params), has_result ? to_type(a[1], a.span(1)) : ir::void_type()));
}

static Value make_array_type(Evaluator&, Args& args, Span call) {
    Arguments a(args, call, "ArrayType", {"base_type", "size"});
    const std::int64_t count = to_int(a[1], a.span(1), "the length of an array type");
    if (count < 0)
        fail(DiagId::ScriptNegativeExtent, a.span(1), count);
    of_a_tensor({ir::int_constant(count)}, a.span(1));
    return Value::type(ir::array_type(to_type(a[0], a.span(0)), count));
}

static Value make_void_type(Evaluator&, const Arguments&, Span) {
    return Value::type(ir::void_type());
}

static Value make_string_type(Evaluator&, Args& args, Span call) {
    Arguments(args, call, "StringType", {});
    return Value::type(ir::string_type());
}

static Value type_equal(Evaluator&, const Arguments& a, Span) {
    return Value::boolean(ir::same_type(to_type(a[0], a.span(0)), to_type(a[1], a.span(1))));
}

static Value size_of_type(Evaluator&, const Arguments& a, Span) {
    const std::int64_t bytes = ir::size_in_bytes(to_type(a[0], a.span(0)));
    if (bytes < 0)
        fail(DiagId::ScriptNeedsConstant, a.span(0), "the size of a type", describe(a[0]));
    return Value::integer(bytes);
}

// The classes of types: what they are called with makes one, and isinstance() knows them.
static void export_type_classes(Evaluator& evaluator, HostModule& module) {
    const auto add = [&](const FunctionRow& make, bool (*is)(const Value&)) {
        module.add(make.name, native_class(evaluator, make, is));
    };
    add({"BaseType", nullptr}, [](const Value& value) { return value.is(ValueKind::Type); });
    add({"DataType", find_data_type}, is_type<ir::DataType>);
    add({"TensorType", make_tensor_type}, is_type<ir::TensorType>);
    add({"TensorPointerType", make_tensor_pointer_type}, is_type<ir::TensorPointerType>);
    add({"PointerType", make_pointer_type}, is_type<ir::PointerType>);
    add({"ReferenceType", {"base_type"}, make_reference_type}, is_type<ir::ReferenceType>);
    add({"ArrayType", make_array_type}, is_type<ir::ArrayType>);
    add({"FuncType", make_func_type}, is_type<ir::FuncType>);
    add({"OpaqueType", {"cpp_name", "*modifiers"}, make_opaque_type}, is_type<ir::OpaqueType>);
    add({"VectorType", make_vector_type}, is_vector_type);
    add({"VoidType", {}, make_void_type}, is_type<ir::VoidType>);
    add({"StringType", make_string_type}, is_type<ir::StringType>);
}

void export_types(Evaluator& evaluator, HostModule& module) {
    module.add("void", Value::type(ir::void_type()));
    module.add("void_p", Value::type(ir::pointer_type(ir::void_type())));
    module.add("byte_p", Value::type(ir::pointer_type(ir::data_type(ir::DType::U8))));
    module.add("ref_u32", Value::type(ir::reference_type(ir::data_type(ir::DType::U32))));
    module.function("tensor_type", make_tensor_type);
    module.function("tensor_pointer_type", make_tensor_pointer_type);
    module.function("pointer_type", make_pointer_type);
    module.function("array_type", make_array_type);
    module.function("func_type", make_func_type);
    module.function("string_type", make_string_type);
    module.function("type_equal", {"lhs", "rhs"}, type_equal);
    module.function("sizeof", {"tp"}, size_of_type);
    export_type_classes(evaluator, module);
}

void export_memory(HostModule& module) {
    module.function("tensor", {"dtype", "shape=", "layout=", "scope=", "is_static="}, make_tensor);
    module.function("shared_tensor", scoped_tensor("shared_tensor", ir::Scope::Shared));
    module.function("register_tensor", scoped_tensor("register_tensor", ir::Scope::Register));
    module.function("tensor_pointer", {"dtype", "shape=", "layout=", "init="}, make_tensor_pointer);
    module.function("as_tensor_pointer", {"expr", "dtype", "shape=", "layout="}, make_as_tensor_pointer);
    module.function("view", {"ptr", "tensor_type"}, make_view);
    export_declare_scope(module);
}

void export_declare_scope(HostModule& module) {
    std::vector<std::pair<std::string, Value>> scopes;
    for (const char* name : {"Default", "Global", "Shared", "Register"})
        scopes.emplace_back(name, Value::str(std::string(1, static_cast<char>(name[0] + 32)) + (name + 1)));
    module.add("DeclareScope", new_extension<Namespace>("DeclareScope", std::move(scopes)));
}

} // namespace hidet::lang
