// SPDX-License-Identifier: Apache-2.0
// Types of expressions and variables.
#pragma once

#include "compiler/ir/dtype.h"
#include "compiler/ir/node.h"

namespace hidet::ir {

struct DataType : Type {
    static constexpr Kind tag = Kind::DataType;
    DataType() : Type(tag) {}
    DType dtype{};
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("dtype", s.dtype);
    }
};

// A tensor in memory or registers. `layout` null means row-major.
struct TensorType : Type {
    static constexpr Kind tag = Kind::TensorType;
    TensorType() : Type(tag) {}
    TypeRef element; // DataType or PointerType
    ExprVec shape;
    LayoutRef layout;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("element", s.element), v("shape", s.shape), v("layout", s.layout);
    }
};

struct PointerType : Type {
    static constexpr Kind tag = Kind::PointerType;
    PointerType() : Type(tag) {}
    TypeRef base;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("base", s.base);
    }
};

// A pointer that knows the shape and layout of what it points to: tensor parameters and tensor_pointer().
struct TensorPointerType : Type {
    static constexpr Kind tag = Kind::TensorPointerType;
    TensorPointerType() : Type(tag) {}
    Ref<const TensorType> tensor;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("tensor", s.tensor);
    }
};

struct ReferenceType : Type {
    static constexpr Kind tag = Kind::ReferenceType;
    ReferenceType() : Type(tag) {}
    TypeRef base;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("base", s.base);
    }
};

struct ArrayType : Type { // void_p[5]
    static constexpr Kind tag = Kind::ArrayType;
    ArrayType() : Type(tag) {}
    TypeRef base;
    std::int64_t count = 0;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("base", s.base), v("count", s.count);
    }
};

struct VoidType : Type {
    static constexpr Kind tag = Kind::VoidType;
    VoidType() : Type(tag) {}
    template <class S, class V>
    static void visit_fields(S&, V&&) {}
};

struct StringType : Type {
    static constexpr Kind tag = Kind::StringType;
    StringType() : Type(tag) {}
    template <class S, class V>
    static void visit_fields(S&, V&&) {}
};

struct FuncType : Type {
    static constexpr Kind tag = Kind::FuncType;
    FuncType() : Type(tag) {}
    std::vector<TypeRef> params;
    TypeRef ret;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("params", s.params), v("ret", s.ret);
    }
};

struct OpaqueType : Type { // a C++ type by name, e.g. CUtensorMap
    static constexpr Kind tag = Kind::OpaqueType;
    OpaqueType() : Type(tag) {}
    std::string name;
    std::vector<std::string> modifiers;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("name", s.name), v("modifiers", s.modifiers);
    }
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

} // namespace hidet::ir
