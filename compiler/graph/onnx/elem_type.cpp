// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/model.h"

namespace hidet::graph::onnx {

namespace {

using ir::DType;

struct Row {
    std::int32_t type;
    const char* name;
    std::optional<DType> dtype;
};

const Row rows[] = {
    {Float, "float32", DType::F32},
    {Uint8, "uint8", DType::U8},
    {Int8, "int8", DType::I8},
    {Uint16, "uint16", DType::U16},
    {Int16, "int16", DType::I16},
    {Int32, "int32", DType::I32},
    {Int64, "int64", DType::I64},
    {String, "string", std::nullopt},
    {Bool, "bool", DType::Bool},
    {Float16, "float16", DType::F16},
    {Double, "float64", DType::F64},
    {Uint32, "uint32", DType::U32},
    {Uint64, "uint64", DType::U64},
    {Complex64, "complex64", std::nullopt},
    {Complex128, "complex128", std::nullopt},
    {Bfloat16, "bfloat16", DType::BF16},
    {Float8E4M3FN, "float8e4m3fn", DType::F8E4M3},
    {Float8E4M3FNUZ, "float8e4m3fnuz", DType::F32},
    {Float8E5M2, "float8e5m2", DType::F8E5M2},
    {Float8E5M2FNUZ, "float8e5m2fnuz", DType::F32},
    {Uint4, "uint4", DType::U8},
    {Int4, "int4", DType::I8},
    {Float4E2M1, "float4e2m1", DType::F32},
    {Float8E8M0, "float8e8m0", DType::F32},
    {Uint2, "uint2", DType::U8},
    {Int2, "int2", DType::I8},
};

} // namespace

std::string elem_type_name(std::int32_t type) {
    for (const Row& row : rows)
        if (row.type == type)
            return row.name;
    return "type " + std::to_string(type);
}

std::optional<DType> dtype_of(std::int32_t elem_type) {
    for (const Row& row : rows)
        if (row.type == elem_type)
            return row.dtype;
    return std::nullopt;
}

std::int32_t elem_type_of(DType dtype) {
    for (const Row& row : rows)
        if (row.dtype == dtype)
            return row.type;
    return Undefined;
}

} // namespace hidet::graph::onnx
