// SPDX-License-Identifier: Apache-2.0
// How many enumerators the enumerations of a launch plan have, and what they are called, for its readers and writers.
#pragma once

#include "runtime/package/plan.h"

namespace hidet::package {

template <class T>
inline constexpr int enum_names = 0; // by enumerator

template <>
inline constexpr const char* enum_names<Place>[] = {"input", "constant", "arena",   "output",
                                                    "host",  "alias",    "in_place"};
template <>
inline constexpr const char* enum_names<ImageKind>[] = {"cubin", "ptx", "cpu-object"};
template <>
inline constexpr const char* enum_names<ArgumentKind>[] = {"address", "scalar", "tensor-map"};
template <>
inline constexpr const char* enum_names<MapElement>[] = {"u8",  "u16", "u32", "i32",  "u64",     "i64",
                                                         "f16", "f32", "f64", "bf16", "f32_ftz", "tf32"};
template <>
inline constexpr const char* enum_names<HostOperator>[] = {
#define HIDET_HOST_OPERATOR(name, text) text,
#include "runtime/package/host_operators.def"
#undef HIDET_HOST_OPERATOR
};
template <>
inline constexpr const char* enum_names<AttributeKind>[] = {"bool", "int",   "real",  "text",  "dtype",
                                                            "ints", "reals", "texts", "shape", "weight"};
template <>
inline constexpr const char* enum_names<StepKind>[] = {"launch", "call",   "host", "copy",
                                                       "fill",   "choose", "if",   "loop"};
template <>
inline constexpr const char* enum_names<Scalar>[] = {
#define HIDET_SCALAR(name, text, bytes) text,
#include "runtime/package/scalars.def"
#undef HIDET_SCALAR
};
template <>
inline constexpr const char* enum_names<ExprOp>[] = {
#define HIDET_EXPR_OP(name, text, operands) text,
#include "runtime/package/expression_ops.def"
};

template <class T>
inline constexpr std::size_t enum_count = sizeof enum_names<T> / sizeof *enum_names<T>;

template <class T>
const char* enum_name(T value) {
    return enum_names<T>[static_cast<std::size_t>(value)];
}

} // namespace hidet::package
