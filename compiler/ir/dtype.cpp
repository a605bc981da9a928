// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/dtype.h"

#include <algorithm>
#include <array>
#include <limits>

#include "lang/base/check.h"
#include "lang/base/numeric.h"

namespace hidet::ir {

const std::vector<DTypeInfo>& all_dtypes() {
    static const std::vector<DTypeInfo> table(std::begin(dtype_table), std::end(dtype_table));
    return table;
}

std::optional<DType> find_dtype(std::string_view name) {
    for (const DTypeInfo& row : all_dtypes())
        if (name == row.name || name == row.short_name)
            return row.dtype;
    return std::nullopt;
}

bool is_signed(DType dtype) {
    DTypeClass cls = info(dtype).cls;
    return cls == DTypeClass::Int || cls == DTypeClass::SubInt || cls == DTypeClass::Float;
}

bool is_subbyte(DType dtype) {
    DTypeClass cls = info(dtype).cls;
    return cls == DTypeClass::SubInt || cls == DTypeClass::SubUInt;
}

bool is_vector(DType dtype) {
    return info(dtype).cls == DTypeClass::Vector;
}

bool is_complex(DType dtype) {
    return info(dtype).cls == DTypeClass::Complex;
}

int bytes_of(DType dtype) {
    HIDET_CHECK(!is_subbyte(dtype), info(dtype).name);
    return info(dtype).bits / 8;
}

IntegerRange integer_range(DType dtype) {
    const DTypeInfo& row = info(dtype);
    int bits = row.bits;
    switch (row.cls) {
    case DTypeClass::Bool: return {0, 1};
    case DTypeClass::Int:
    case DTypeClass::SubInt:
        return {static_cast<std::int64_t>(~std::uint64_t(0) << (bits - 1)), (std::uint64_t(1) << (bits - 1)) - 1};
    case DTypeClass::UInt:
    case DTypeClass::SubUInt: return {0, std::numeric_limits<std::uint64_t>::max() >> (64 - bits)};
    default: break;
    }
    internal_failure(__FILE__, __LINE__, "not an integer type", row.name);
}

double float_max(DType dtype) {
    switch (dtype) {
    case DType::F8E4M3: return 448.0;
    case DType::F8E5M2: return 57344.0;
    case DType::F16: return 65504.0;
    case DType::BF16: return 0x1.FEp127;
    case DType::TF32: return 0x1.FFCp127;
    case DType::F32: return std::numeric_limits<float>::max();
    case DType::F64: return std::numeric_limits<double>::max();
    default: break;
    }
    internal_failure(__FILE__, __LINE__, "not a float type", info(dtype).name);
}

static std::optional<DType> promote_floats(DType left, DType right) {
    if (left == right)
        return left;
    auto rank = [](DType dtype) {
        constexpr std::array order = {DType::F16, DType::BF16, DType::TF32, DType::F32, DType::F64};
        return std::find(order.begin(), order.end(), dtype) - order.begin();
    };
    constexpr std::ptrdiff_t unranked = 5; // the 8-bit floats
    if (rank(left) == unranked || rank(right) == unranked)
        return std::nullopt;
    return rank(left) > rank(right) ? left : right;
}

static DType promote_integers(DType left, DType right) {
    if (left == DType::Bool)
        return right;
    if (right == DType::Bool)
        return left;
    int left_bits = info(left).bits;
    int right_bits = info(right).bits;
    if (is_signed(left) == is_signed(right))
        return left_bits >= right_bits ? left : right;
    // Mixed signedness: a signed type of twice the right operand's width, no narrower than the left operand.
    int bits = std::max(left_bits, std::min(64, 2 * right_bits));
    return bits == 16 ? DType::I16 : bits == 32 ? DType::I32 : DType::I64;
}

// A complex number with a number: the parts hold what either has.
static std::optional<DType> promote_complex(DType left, DType right) {
    const auto is_number = [](DType dtype) { return is_integer(dtype) || is_float(dtype) || is_complex(dtype); };
    if (!is_number(left) || !is_number(right) || (!is_complex(left) && !is_complex(right)))
        return std::nullopt;
    const auto is_wide = [](DType dtype) { return dtype == DType::F64 || dtype == DType::C128; };
    return is_wide(left) || is_wide(right) ? DType::C128 : DType::C64;
}

std::optional<DType> promote(DType left, DType right) {
    if (is_integer(left) && is_integer(right))
        return promote_integers(left, right);
    if (is_float(left) && is_float(right))
        return promote_floats(left, right);
    if (is_integer(left) && is_float(right))
        return right;
    if (is_float(left) && is_integer(right))
        return left;
    if (left == right && is_vector(left) && !is_subbyte(info(left).lane))
        return left;
    return promote_complex(left, right);
}

double round_to(double value, DType dtype) {
    switch (dtype) {
    case DType::F8E4M3: return round_to_e4m3(value);
    case DType::F8E5M2: return round_to_e5m2(value);
    case DType::F16: return round_to_f16(value);
    case DType::BF16: return round_to_bf16(value);
    case DType::TF32: return round_to_tf32(value);
    case DType::F32:
    case DType::C64: return static_cast<float>(value);
    default: return value;
    }
}

std::int64_t wrap_to(std::int64_t value, DType dtype) {
    if (dtype == DType::Bool)
        return value != 0;
    int unused = 64 - info(dtype).bits;
    auto raised = static_cast<std::uint64_t>(value) << unused;
    if (is_signed(dtype))
        return static_cast<std::int64_t>(raised) >> unused;
    return static_cast<std::int64_t>(raised >> unused);
}

} // namespace hidet::ir
