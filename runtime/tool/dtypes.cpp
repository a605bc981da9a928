// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/dtypes.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "lang/base/numeric.h"

namespace hidet::tool {

namespace {

constexpr DType rows[] = {
    {"bool", "b1", {HIDET_BOOL, 8, 1}},
    {"int8", "i1", {HIDET_INT, 8, 1}},
    {"int16", "i2", {HIDET_INT, 16, 1}},
    {"int32", "i4", {HIDET_INT, 32, 1}},
    {"int64", "i8", {HIDET_INT, 64, 1}},
    {"uint8", "u1", {HIDET_UINT, 8, 1}},
    {"uint16", "u2", {HIDET_UINT, 16, 1}},
    {"uint32", "u4", {HIDET_UINT, 32, 1}},
    {"uint64", "u8", {HIDET_UINT, 64, 1}},
    {"float8_e4m3", "V1", {HIDET_FLOAT8_E4M3FN, 8, 1}},
    {"float8_e5m2", "V1", {HIDET_FLOAT8_E5M2, 8, 1}},
    {"float16", "f2", {HIDET_FLOAT, 16, 1}},
    {"bfloat16", "V2", {HIDET_BFLOAT, 16, 1}},
    {"float32", "f4", {HIDET_FLOAT, 32, 1}},
    {"float64", "f8", {HIDET_FLOAT, 64, 1}},
    {"complex64", "c8", {HIDET_COMPLEX, 64, 1}},
    {"complex128", "c16", {HIDET_COMPLEX, 128, 1}},
};

template <class T>
T load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
std::string spell(T value) {
    char text[64];
    return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

std::string integer_text(hidet_dtype dtype, const std::byte* element) {
    const bool is_signed = dtype.code == HIDET_INT;
    switch (dtype.bits) {
    case 8: return spell(is_signed ? int(load<std::int8_t>(element)) : int(load<std::uint8_t>(element)));
    case 16: return spell(is_signed ? int(load<std::int16_t>(element)) : int(load<std::uint16_t>(element)));
    case 32: return is_signed ? spell(load<std::int32_t>(element)) : spell(load<std::uint32_t>(element));
    default: return is_signed ? spell(load<std::int64_t>(element)) : spell(load<std::uint64_t>(element));
    }
}

std::string float_text(hidet_dtype dtype, const std::byte* element) {
    switch (dtype.bits) {
    case 16: return spell(f16_to_f32(load<std::uint16_t>(element)));
    case 32: return spell(load<float>(element));
    default: return spell(load<double>(element));
    }
}

} // namespace

std::span<const DType> all_dtypes() {
    return rows;
}

const DType* find_dtype(hidet_dtype dtype) {
    for (const DType& row : rows)
        if (runtime::is_same(row.dtype, dtype))
            return &row;
    return nullptr;
}

std::string type_text(hidet_dtype dtype, std::span<const std::int64_t> shape) {
    const DType* row = find_dtype(dtype);
    std::string text = std::string(row ? row->name : "unknown") + "[";
    for (std::size_t d = 0; d < shape.size(); ++d)
        text += (d ? ", " : "") + std::to_string(shape[d]);
    return text + "]";
}

std::string element_text(hidet_dtype dtype, const std::byte* element) {
    switch (dtype.code) {
    case HIDET_BOOL: return load<std::uint8_t>(element) ? "true" : "false";
    case HIDET_FLOAT: return float_text(dtype, element);
    case HIDET_BFLOAT: return spell(bf16_to_f32(load<std::uint16_t>(element)));
    case HIDET_FLOAT8_E4M3FN: {
        const auto bits = load<std::uint8_t>(element); // also of a nan the sign is shown
        return spell(std::copysign(e4m3_to_f32(bits & 0x7F), bits & 0x80 ? -1.0f : 1.0f));
    }
    case HIDET_FLOAT8_E5M2: return spell(e5m2_to_f32(load<std::uint8_t>(element)));
    case HIDET_COMPLEX: {
        const hidet_dtype part = {HIDET_FLOAT, static_cast<std::uint8_t>(dtype.bits / 2), 1};
        return "(" + float_text(part, element) + "," + float_text(part, element + dtype.bits / 16) + ")";
    }
    default: return integer_text(dtype, element);
    }
}

} // namespace hidet::tool
