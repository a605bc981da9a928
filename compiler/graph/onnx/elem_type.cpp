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
#define HIDET_ELEM_TYPE(name, number, text, dtype) {name, text, dtype},
#include "compiler/graph/onnx/elem_types.def"
#undef HIDET_ELEM_TYPE
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
