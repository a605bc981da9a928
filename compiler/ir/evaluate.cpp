// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/evaluate.h"

#include "compiler/ir/scalar.h"
#include "lang/base/whole.h"

namespace hidet::ir {

namespace {

using Whole = std::optional<std::int64_t>;
using Real = std::optional<double>;

bool is_real(const ExprRef& expr) {
    const auto dtype = scalar_of(expr->type);
    return dtype && is_float(*dtype);
}

Whole truncated(Real value) {
    const bool fits = value && *value > -0x1p63 && *value < 0x1p63;
    return fits ? Whole(static_cast<std::int64_t>(*value)) : std::nullopt;
}

class Evaluator {
public:
    explicit Evaluator(const KnownValue& known) : m_known(known) {}

    Whole whole(const ExprRef& expr) const {
        if (const Whole value = m_known(expr))
            return value;
        if (const auto* cast = as<Cast>(expr))
            return whole_cast(*cast);
        if (const auto* select = as<Select>(expr)) {
            const Whole condition = whole(select->condition);
            return condition ? whole(*condition ? select->a : select->b) : std::nullopt;
        }
        if (const auto* unary = as<Unary>(expr))
            return whole_result(scalar_op(unary->op), unary->a, unary->a);
        if (const auto* binary = as<Binary>(expr))
            return whole_result(scalar_op(binary->op), binary->a, binary->b);
        const auto* call = as<Intrinsic>(expr);
        if (const auto op = call ? scalar_op(call->id) : std::nullopt; op && info(*op).operands <= 2)
            return whole_result(*op, call->args.front(), call->args.back());
        return constant_int(expr);
    }

private:
    Whole whole_cast(const Cast& cast) const {
        const bool to_bool = scalar_of(cast.type) == DType::Bool;
        if (is_real(cast.a)) {
            const Real value = real(cast.a);
            return to_bool && value ? Whole(*value != 0) : truncated(value);
        }
        const Whole value = whole(cast.a);
        return to_bool && value ? Whole(*value != 0) : value;
    }

    // Comparisons and tests of floats give whole numbers too.
    Whole whole_result(ScalarOp op, const ExprRef& a, const ExprRef& b) const {
        if (is_real(a)) {
            const auto result = info(op).gives == ScalarGives::Bool ? real_result(op, a, b) : std::nullopt;
            return result ? Whole(result->i) : std::nullopt;
        }
        const Whole x = whole(a);
        const Whole y = x ? whole(b) : std::nullopt;
        return y ? hidet::whole(op, *x, *y) : std::nullopt;
    }

    Real real(const ExprRef& expr) const {
        if (const auto* cast = as<Cast>(expr))
            return real_cast(*cast);
        if (const auto* select = as<Select>(expr)) {
            const Whole condition = whole(select->condition);
            return condition ? real(*condition ? select->a : select->b) : std::nullopt;
        }
        std::optional<ScalarValue> result;
        if (const auto* unary = as<Unary>(expr))
            result = real_result(scalar_op(unary->op), unary->a, unary->a);
        else if (const auto* binary = as<Binary>(expr))
            result = real_result(scalar_op(binary->op), binary->a, binary->b);
        else if (const auto* call = as<Intrinsic>(expr)) {
            const auto op = scalar_op(call->id);
            if (op && info(*op).operands <= 2)
                result = real_result(*op, call->args.front(), call->args.back());
        } else {
            return constant_number(expr);
        }
        return result ? Real(result->d) : std::nullopt;
    }
    Real real_cast(const Cast& cast) const {
        const auto to = scalar_of(cast.type);
        if (!to || !is_float(*to))
            return std::nullopt;
        if (!is_real(cast.a)) {
            const Whole value = whole(cast.a);
            return value ? Real(converted({.i = *value}, DType::I64, *to).d) : std::nullopt;
        }
        const Real value = real(cast.a);
        return value ? Real(converted({.d = *value}, *scalar_of(cast.a->type), *to).d) : std::nullopt;
    }
    std::optional<ScalarValue> real_result(ScalarOp op, const ExprRef& a, const ExprRef& b) const {
        const DType dtype = *scalar_of(a->type);
        const Real x = takes(op, dtype) ? real(a) : std::nullopt;
        const Real y = x ? real(b) : std::nullopt;
        return y ? std::optional(apply(op, dtype, {.d = *x}, {.d = *y})) : std::nullopt;
    }

    const KnownValue& m_known;
};

} // namespace

std::optional<std::int64_t> evaluate_whole(const ExprRef& expr, const KnownValue& known) {
    return Evaluator(known).whole(expr);
}

} // namespace hidet::ir
