// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/type.h"

#include <algorithm>
#include <limits>

#include "compiler/ir/layout.h"
#include "compiler/ir/packing.h"
#include "compiler/ir/structure.h"

namespace hidet::ir {

TypeRef data_type(DType dtype) {
    static const std::vector<TypeRef>& shared = *[] {
        auto types = new std::vector<TypeRef>; // outlives every static that may hold a node
        for (const DTypeInfo& row : all_dtypes()) {
            types->push_back(make_node<DataType>(row.dtype));
            types->back()->make_immortal();
        }
        return types;
    }();
    return shared[static_cast<std::size_t>(dtype)];
}

template <class T>
static TypeRef shared_type() {
    static const TypeRef& shared = *[] {
        auto type = new TypeRef(make<T>(T{}));
        (*type)->make_immortal();
        return type;
    }();
    return shared;
}

TypeRef void_type() {
    return shared_type<VoidType>();
}

TypeRef string_type() {
    return shared_type<StringType>();
}

Ref<const TensorType> tensor_type(TypeRef element, ExprVec shape, LayoutRef layout) {
    return make_node<TensorType>(std::move(element), std::move(shape), std::move(layout));
}

TypeRef pointer_type(TypeRef base) {
    return make_node<PointerType>(std::move(base));
}

TypeRef tensor_pointer_type(Ref<const TensorType> tensor) {
    return make_node<TensorPointerType>(std::move(tensor));
}

TypeRef reference_type(TypeRef base) {
    return make_node<ReferenceType>(std::move(base));
}

TypeRef array_type(TypeRef base, std::int64_t count) {
    return make_node<ArrayType>(std::move(base), count);
}

TypeRef func_type(std::vector<TypeRef> params, TypeRef ret) {
    return make_node<FuncType>(std::move(params), std::move(ret));
}

TypeRef opaque_type(std::string name, std::vector<std::string> modifiers) {
    return make_node<OpaqueType>(std::move(name), std::move(modifiers));
}

TypeRef value_type(const TypeRef& type) {
    const auto* reference = as<ReferenceType>(type);
    return reference ? reference->base : type;
}

std::optional<DType> scalar_of(const TypeRef& type) {
    if (const auto* reference = as<ReferenceType>(type))
        return scalar_of(reference->base);
    if (const auto* data = as<DataType>(type))
        return data->dtype;
    return std::nullopt;
}

bool is_array(const TypeRef& type) {
    return type && (type->kind == Kind::TensorType || type->kind == Kind::ArrayType);
}

bool is_pointer(const TypeRef& type) {
    if (const auto* reference = as<ReferenceType>(type))
        return is_pointer(reference->base);
    return type && (type->kind == Kind::PointerType || type->kind == Kind::TensorPointerType);
}

const TensorType* tensor_of(const TypeRef& type) {
    if (const auto* reference = as<ReferenceType>(type))
        return tensor_of(reference->base);
    if (const auto* pointer = as<TensorPointerType>(type))
        return pointer->tensor.get();
    return as<TensorType>(type);
}

TypeRef element_of(const TypeRef& type) {
    if (const TensorType* tensor = tensor_of(type))
        return tensor->element;
    if (const auto* pointer = as<PointerType>(type))
        return pointer->base;
    if (const auto* array = as<ArrayType>(type))
        return array->base;
    if (const auto* reference = as<ReferenceType>(type))
        return element_of(reference->base);
    return nullptr;
}

LayoutRef layout_of(const TensorType& type) {
    return type.layout ? type.layout : row_major(type.shape);
}

static std::int64_t tensor_bytes(const TensorType& type) {
    auto slots = constant_int(size_of(layout_of(type)));
    if (!slots || *slots < 0 || *slots == std::numeric_limits<std::int64_t>::max())
        return -1;
    std::int64_t bytes = 0;
    if (auto dtype = scalar_of(type.element))
        return packed_bytes(*dtype, *slots);
    std::int64_t element = size_in_bytes(type.element);
    if (element < 0 || __builtin_mul_overflow(*slots, element, &bytes))
        return -1;
    return bytes;
}

bool is_tensor_map(const TypeRef& type) {
    const auto* opaque = as<OpaqueType>(type);
    return opaque && opaque->name == tensor_map_type;
}

std::int64_t size_in_bytes(const TypeRef& type) {
    if (is_pointer(type) || (type && type->kind == Kind::ReferenceType))
        return 8;
    if (const auto* data = as<DataType>(type))
        return is_subbyte(data->dtype) ? -1 : bytes_of(data->dtype);
    if (const auto* tensor = as<TensorType>(type))
        return tensor_bytes(*tensor);
    if (const auto* array = as<ArrayType>(type)) {
        if (auto dtype = scalar_of(array->base); dtype && array->base->kind == Kind::DataType)
            return packed_bytes(*dtype, array->count);
        std::int64_t element = size_in_bytes(array->base);
        std::int64_t bytes = 0;
        return element < 0 || __builtin_mul_overflow(element, array->count, &bytes) ? -1 : bytes;
    }
    return -1;
}

std::int64_t bytes_of_element(const TypeRef& type) {
    const auto dtype = scalar_of(type);
    if (dtype && is_subbyte(*dtype))
        return bytes_of(packing_of(*dtype).unit);
    return std::max<std::int64_t>(size_in_bytes(type), 1);
}

} // namespace hidet::ir
