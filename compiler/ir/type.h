// SPDX-License-Identifier: Apache-2.0
// Types of expressions and variables.
#pragma once

#include "compiler/ir/dtype.h"
#include "compiler/ir/node.h"

namespace hidet::ir {

struct DataType : NodeOf<Kind::DataType, Type> {
    DType dtype{};
    static void visit_fields(auto& s, auto&& v) { v(s.dtype); }
};

// A tensor in memory or registers. `layout` null means row-major.
struct TensorType : NodeOf<Kind::TensorType, Type> {
    TypeRef element; // DataType or PointerType
    ExprVec shape;
    LayoutRef layout;
    static void visit_fields(auto& s, auto&& v) { v(s.element, s.shape, s.layout); }
};

struct PointerType : NodeOf<Kind::PointerType, Type> {
    TypeRef base;
    static void visit_fields(auto& s, auto&& v) { v(s.base); }
};

// A pointer that knows the shape and layout of what it points to: tensor parameters and tensor_pointer().
struct TensorPointerType : NodeOf<Kind::TensorPointerType, Type> {
    Ref<const TensorType> tensor;
    static void visit_fields(auto& s, auto&& v) { v(s.tensor); }
};

struct ReferenceType : NodeOf<Kind::ReferenceType, Type> {
    TypeRef base;
    static void visit_fields(auto& s, auto&& v) { v(s.base); }
};

struct ArrayType : NodeOf<Kind::ArrayType, Type> { // void_p[5]
    TypeRef base;
    std::int64_t count = 0;
    static void visit_fields(auto& s, auto&& v) { v(s.base, s.count); }
};

struct VoidType : NodeOf<Kind::VoidType, Type> {
    static void visit_fields(auto&, auto&& v) { v(); }
};

struct StringType : NodeOf<Kind::StringType, Type> {
    static void visit_fields(auto&, auto&& v) { v(); }
};

struct FuncType : NodeOf<Kind::FuncType, Type> {
    std::vector<TypeRef> params;
    TypeRef ret;
    static void visit_fields(auto& s, auto&& v) { v(s.params, s.ret); }
};

struct OpaqueType : NodeOf<Kind::OpaqueType, Type> { // a C++ type by name, e.g. CUtensorMap
    std::string name;
    std::vector<std::string> modifiers;
    static void visit_fields(auto& s, auto&& v) { v(s.name, s.modifiers); }
};

// ---- makers ------------------------------------------------------------------------------------------------------
TypeRef data_type(DType dtype); // shared objects
TypeRef void_type();
TypeRef string_type();
Ref<const TensorType> tensor_type(TypeRef element, ExprVec shape, LayoutRef layout = nullptr);
TypeRef pointer_type(TypeRef base);
TypeRef tensor_pointer_type(Ref<const TensorType> tensor);
TypeRef reference_type(TypeRef base);
TypeRef array_type(TypeRef base, std::int64_t count);
TypeRef func_type(std::vector<TypeRef> params, TypeRef ret);
TypeRef opaque_type(std::string name, std::vector<std::string> modifiers);

// ---- queries -----------------------------------------------------------------------------------------------------
TypeRef value_type(const TypeRef& type);             // the type without the reference, if it is one
std::optional<DType> scalar_of(const TypeRef& type); // the dtype of a DataType (or of a reference to one)
bool is_pointer(const TypeRef& type);                // pointer or tensor pointer
bool is_array(const TypeRef& type);                  // tensor or array: its name is where it lies
inline bool is_address(const TypeRef& type) {
    return is_pointer(type) || is_array(type);
}
const TensorType* tensor_of(const TypeRef& type); // of a tensor or a tensor pointer, else null
TypeRef element_of(const TypeRef& type);          // what [] yields: tensor element, pointee, array base; else null
LayoutRef layout_of(const TensorType& type);      // the row-major layout where none is given
inline constexpr const char* tensor_map_type = "CUtensorMap"; // the opaque type of tensor maps
bool is_tensor_map(const TypeRef& type);
std::int64_t size_in_bytes(const TypeRef& type); // constant sizes only (pointers 8); -1 when unknown
// From one element of memory to the next: of sub-byte types their unit, of unknown sizes 1.
std::int64_t bytes_of_element(const TypeRef& type);

} // namespace hidet::ir
