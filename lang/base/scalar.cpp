// SPDX-License-Identifier: Apache-2.0
#include "lang/base/scalar.h"

namespace hidet {

namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

bool has_value(ScalarOp op, std::int64_t b) {
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

bool fits(ScalarOp op, std::int64_t a, std::int64_t b) {
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

struct UseWhole {
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

} // namespace

std::optional<std::int64_t> whole(ScalarOp op, std::int64_t a, std::int64_t b) {
    if (!has_value(op, b) || !fits(op, a, b))
        return std::nullopt;
    return scalar::with_operation<std::int64_t>(op, UseWhole{a, b});
}

} // namespace hidet
