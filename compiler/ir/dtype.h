// SPDX-License-Identifier: Apache-2.0
// The scalar and vector data types: one table, queries on its rows, promotion.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hidet::ir {

enum class DType : std::uint8_t {
#define HIDET_DTYPE(name, text, short_text, cls, bits, lanes, lane, storage) name,
#include "compiler/ir/dtypes.def"
#undef HIDET_DTYPE
};

enum class DTypeClass : std::uint8_t { Bool, Int, UInt, Float, Complex, Vector, SubInt, SubUInt };

struct DTypeInfo {
    DType dtype;
    const char* name;       // "float32"
    const char* short_name; // "f32"
    DTypeClass cls;
    int bits;
    int lanes;
    DType lane;    // lane type of a vector, part type of a complex
    DType storage; // what a sub-byte type is packed into
};

inline constexpr DTypeInfo dtype_table[] = {
#define HIDET_DTYPE(name, text, short_text, cls, bits, lanes, lane, storage)                                           \
    {DType::name, text, short_text, DTypeClass::cls, bits, lanes, DType::lane, DType::storage},
#include "compiler/ir/dtypes.def"
#undef HIDET_DTYPE
};
constexpr const DTypeInfo& info(DType dtype) {
    return dtype_table[static_cast<std::size_t>(dtype)];
}
const std::vector<DTypeInfo>& all_dtypes();
std::optional<DType> find_dtype(std::string_view name); // long or short name

constexpr bool is_float(DType dtype) { // scalar floats of any width
    return info(dtype).cls == DTypeClass::Float;
}
constexpr bool is_integer(DType dtype) { // bool and 8 to 64 bit integers
    return info(dtype).cls <= DTypeClass::UInt;
}
bool is_signed(DType);
bool is_subbyte(DType);
bool is_vector(DType);
bool is_complex(DType);
int bytes_of(DType); // sub-byte types have none: internal error

struct IntegerRange {
    std::int64_t lowest;
    std::uint64_t highest;
};
IntegerRange integer_range(DType); // bool, integers, sub-byte integers
double float_max(DType);           // largest finite value

// The result type of arithmetic on two scalars (language.md 2.4); nothing when the pair has no common type.
std::optional<DType> promote(DType left, DType right);

// Rounding of a value to what the type can hold (lang/base/numeric.h has the conversions to and from bits).
double round_to(double value, DType dtype);
// What is left of an integer in the type: two's complement, kept as int64 (u64 as its bits; bool: not zero).
std::int64_t wrap_to(std::int64_t value, DType dtype);

} // namespace hidet::ir
