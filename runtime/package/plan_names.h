// SPDX-License-Identifier: Apache-2.0
// How many enumerators the enumerations of a launch plan have, and what they are called, for its readers and writers.
#pragma once

#include "runtime/package/plan.h"

namespace hidet::package {

template <class T>
struct EnumInfo; // `names`, by enumerator

template <>
struct EnumInfo<Place> {
    static constexpr const char* names[] = {"input", "constant", "arena", "output", "host", "alias", "in_place"};
};
template <>
struct EnumInfo<ImageKind> {
    static constexpr const char* names[] = {"cubin", "ptx", "cpu-object"};
};
template <>
struct EnumInfo<ArgumentKind> {
    static constexpr const char* names[] = {"address", "scalar", "tensor-map"};
};
template <>
struct EnumInfo<MapElement> {
    static constexpr const char* names[] = {"u8",  "u16", "u32", "i32",  "u64",     "i64",
                                            "f16", "f32", "f64", "bf16", "f32_ftz", "tf32"};
};
template <>
struct EnumInfo<HostOperator> {
    static constexpr const char* names[] = {
#define HIDET_HOST_OPERATOR(name, text) text,
#include "runtime/package/host_operators.def"
#undef HIDET_HOST_OPERATOR
    };
};
template <>
struct EnumInfo<AttributeKind> {
    static constexpr const char* names[] = {"bool", "int",   "real",  "text",  "dtype",
                                            "ints", "reals", "texts", "shape", "weight"};
};
template <>
struct EnumInfo<StepKind> {
    static constexpr const char* names[] = {"launch", "call", "host", "copy", "fill", "choose", "if", "loop"};
};
template <>
struct EnumInfo<Scalar> {
    static constexpr const char* names[] = {
#define HIDET_SCALAR(name, text, bytes) text,
#include "runtime/package/scalars.def"
#undef HIDET_SCALAR
    };
};
template <>
struct EnumInfo<ExprOp> {
    static constexpr const char* names[] = {
#define HIDET_EXPR_OP(name, text, operands) text,
#include "runtime/package/expression_ops.def"
    };
};

template <class T>
inline constexpr std::size_t enum_count = sizeof EnumInfo<T>::names / sizeof *EnumInfo<T>::names;

template <class T>
const char* enum_name(T value) {
    return EnumInfo<T>::names[static_cast<std::size_t>(value)];
}

} // namespace hidet::package
