// SPDX-License-Identifier: Apache-2.0
// Types of elements: as plans name them, and as DLPack does.
#pragma once

#include "runtime/capi/hidet_runtime.h"
#include "runtime/package/text.h"

namespace hidet::capi {

struct DTypeRow {
    const char* name;
    hidet_dtype dtype;
};
inline constexpr DTypeRow dtype_rows[] = {{"bool", {HIDET_BOOL, 8, 1}},
                                          {"int8", {HIDET_INT, 8, 1}},
                                          {"int16", {HIDET_INT, 16, 1}},
                                          {"int32", {HIDET_INT, 32, 1}},
                                          {"int64", {HIDET_INT, 64, 1}},
                                          {"uint8", {HIDET_UINT, 8, 1}},
                                          {"uint16", {HIDET_UINT, 16, 1}},
                                          {"uint32", {HIDET_UINT, 32, 1}},
                                          {"uint64", {HIDET_UINT, 64, 1}},
                                          {"float8_e4m3", {HIDET_FLOAT8_E4M3FN, 8, 1}},
                                          {"float8_e5m2", {HIDET_FLOAT8_E5M2, 8, 1}},
                                          {"float16", {HIDET_FLOAT, 16, 1}},
                                          {"bfloat16", {HIDET_BFLOAT, 16, 1}},
                                          {"float32", {HIDET_FLOAT, 32, 1}},
                                          {"float64", {HIDET_FLOAT, 64, 1}},
                                          {"complex64", {HIDET_COMPLEX, 64, 1}},
                                          {"complex128", {HIDET_COMPLEX, 128, 1}}};

// Null: no array has elements of this type.
inline const DTypeRow* find_dtype(package::Text name) {
    for (const DTypeRow& row : dtype_rows)
        if (name == package::text(row.name))
            return &row;
    return nullptr;
}
inline const DTypeRow* find_dtype(hidet_dtype dtype) {
    for (const DTypeRow& row : dtype_rows)
        if (row.dtype.code == dtype.code && row.dtype.bits == dtype.bits && row.dtype.lanes == dtype.lanes)
            return &row;
    return nullptr;
}

} // namespace hidet::capi
