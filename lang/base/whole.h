// SPDX-License-Identifier: Apache-2.0
// Operators on whole numbers, which have no width. All of it stands in the header: the runtime of packages, which links
// nothing of this folder, calls it too.
#pragma once

#include <optional>

#include "lang/base/scalar.h"

namespace hidet {

namespace whole_numbers {

inline constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

inline bool has_value(ScalarOp op, std::int64_t b) {
    switch (op) {
    case ScalarOp::Div:
    case ScalarOp::Mod:
    case ScalarOp::FloorDiv:
    case ScalarOp::FloorMod: return b != 0;
    case ScalarOp::Shl:
    case ScalarOp::Shr: return b >= 0;
    default: return true;
    }
}

inline bool fits(ScalarOp op, std::int64_t a, std::int64_t b) {
    std::int64_t unused = 0;
    switch (op) {
    case ScalarOp::Add: return !__builtin_add_overflow(a, b, &unused);
    case ScalarOp::Sub: return !__builtin_sub_overflow(a, b, &unused);
    case ScalarOp::Mul: return !__builtin_mul_overflow(a, b, &unused);
    case ScalarOp::Div:
    case ScalarOp::FloorDiv: return a != lowest || b != -1;
    case ScalarOp::Neg:
    case ScalarOp::Abs: return a != lowest;
    case ScalarOp::Shl: return a == 0 || (b < 63 && !__builtin_mul_overflow(a, std::int64_t{1} << b, &unused));
    default: return true;
    }
}

struct Use {
    std::int64_t a, b;
    template <class F, int operands, class T, class R>
    std::optional<std::int64_t> operator()() const {
        if constexpr (operands == 1)
            return static_cast<std::int64_t>(F::apply(a));
        else if constexpr (operands == 2)
            return static_cast<std::int64_t>(F::apply(a, b));
        else
            return std::nullopt;
    }
    std::optional<std::int64_t> none() const { return std::nullopt; }
};

} // namespace whole_numbers

// Nothing when 64 bits do not hold the result, when something is divided by zero or shifted by a negative count, and when
// the operator is none of integers. `b` is looked at when there are two operands.
inline std::optional<std::int64_t> whole(ScalarOp op, std::int64_t a, std::int64_t b = 0) {
    if (!whole_numbers::has_value(op, b) || !whole_numbers::fits(op, a, b))
        return std::nullopt;
    return scalar::with_operation<std::int64_t>(op, whole_numbers::Use{a, b});
}

} // namespace hidet
