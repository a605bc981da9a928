// SPDX-License-Identifier: Apache-2.0
// Operators on scalars: the table and its functions.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace hidet {

enum class ScalarOp : std::uint8_t {
#define HIDET_SCALAR_OP(Name, operands, takes, gives, bits, meaning) Name,
#include "lang/base/scalar_ops.def"
};

enum class ScalarTakes : std::uint8_t { Number, Integer, Float };
enum class ScalarGives : std::uint8_t { Same, Bool };
enum class ScalarBits : std::uint8_t { Exact, Library };
struct ScalarOpInfo {
    ScalarOp op;
    const char* name;
    int operands;
    ScalarTakes takes;
    ScalarGives gives;
    ScalarBits bits;
};
inline constexpr ScalarOpInfo scalar_op_table[] = {
#define HIDET_SCALAR_OP(Name, operands, takes, gives, bits, meaning)                                                   \
    {ScalarOp::Name, #Name, operands, ScalarTakes::takes, ScalarGives::gives, ScalarBits::bits},
#include "lang/base/scalar_ops.def"
};
constexpr const ScalarOpInfo& info(ScalarOp op) {
    return scalar_op_table[static_cast<std::size_t>(op)];
}

namespace scalar {
#include "lang/base/elementary.inl"
#include "lang/base/scalar_ops.inl"
} // namespace scalar

} // namespace hidet
