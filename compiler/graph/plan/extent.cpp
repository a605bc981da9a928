// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/extent.h"

#include <algorithm>
#include <cmath>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::BinOp;
using Number = std::optional<std::int64_t>;
using Real = std::optional<double>;

bool is_real(const Dim& expr) {
    const auto dtype = ir::scalar_of(expr->type);
    return dtype && ir::is_float(*dtype);
}

Number truncated(Real value) {
    const bool fits = value && *value > -0x1p63 && *value < 0x1p63;
    return fits ? Number(static_cast<std::int64_t>(*value)) : std::nullopt;
}

Number divided(BinOp op, std::int64_t a, std::int64_t b) {
    if (b == 0 || (b == -1 && a == INT64_MIN))
        return std::nullopt;
    const bool rounds_up = a % b != 0 && (a < 0) != (b < 0); // towards zero, where Python rounds down
    switch (op) {
    case BinOp::Div: return a / b;
    case BinOp::Mod: return a % b;
    case BinOp::FloorDiv: return a / b - rounds_up;
    default: return a % b + (rounds_up ? b : 0);
    }
}

Number combined(BinOp op, std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    bool overflowed = false;
    switch (op) {
    case BinOp::Add: overflowed = __builtin_add_overflow(a, b, &out); break;
    case BinOp::Sub: overflowed = __builtin_sub_overflow(a, b, &out); break;
    case BinOp::Mul: overflowed = __builtin_mul_overflow(a, b, &out); break;
    case BinOp::Div:
    case BinOp::Mod:
    case BinOp::FloorDiv:
    case BinOp::FloorMod: return divided(op, a, b);
    case BinOp::Lt: return a < b;
    case BinOp::Le: return a <= b;
    case BinOp::Eq: return a == b;
    case BinOp::Ne: return a != b;
    case BinOp::And: return a && b;
    case BinOp::Or: return a || b;
    case BinOp::BitAnd: return a & b;
    case BinOp::BitOr: return a | b;
    case BinOp::BitXor: return a ^ b;
    case BinOp::Shl: return b < 0 || b > 62 ? std::nullopt : combined(BinOp::Mul, a, std::int64_t{1} << b);
    case BinOp::Shr: return b < 0 || b > 63 ? std::nullopt : Number(a >> b);
    }
    return overflowed ? std::nullopt : Number(out);
}

Number compared(BinOp op, double a, double b) {
    switch (op) {
    case BinOp::Lt: return a < b;
    case BinOp::Le: return a <= b;
    case BinOp::Eq: return a == b;
    case BinOp::Ne: return a != b;
    default: return std::nullopt;
    }
}

Real combined(BinOp op, double a, double b) {
    switch (op) {
    case BinOp::Add: return a + b;
    case BinOp::Sub: return a - b;
    case BinOp::Mul: return a * b;
    case BinOp::Div: return a / b;
    default: return std::nullopt;
    }
}

Number classified(ir::IntrinsicId id, Real x) {
    if (!x)
        return std::nullopt;
    switch (id) {
    case ir::IntrinsicId::IsNan: return std::isnan(*x);
    case ir::IntrinsicId::IsInf: return std::isinf(*x);
    case ir::IntrinsicId::IsFinite: return std::isfinite(*x);
    default: return std::nullopt;
    }
}

Real rounded(ir::IntrinsicId id, double x) {
    switch (id) {
    case ir::IntrinsicId::Floor: return std::floor(x);
    case ir::IntrinsicId::Ceil: return std::ceil(x);
    case ir::IntrinsicId::Trunc: return std::trunc(x);
    case ir::IntrinsicId::Round: return std::nearbyint(x);
    case ir::IntrinsicId::Sqrt: return std::sqrt(x);
    default: return std::nullopt;
    }
}

class Evaluator {
public:
    explicit Evaluator(const SymbolValues& symbols) : m_symbols(symbols) {}

    Number operator()(const Dim& dim) const {
        if (const auto* symbol = ir::as<ir::SymbolVar>(dim)) {
            const auto found = m_symbols.find(symbol->name);
            return found == m_symbols.end() ? std::nullopt : Number(found->second);
        }
        if (const auto* binary = ir::as<ir::Binary>(dim)) {
            if (is_real(binary->a)) {
                const Real a = real(binary->a);
                const Real b = real(binary->b);
                return a && b ? compared(binary->op, *a, *b) : std::nullopt;
            }
            const Number a = (*this)(binary->a);
            const Number b = (*this)(binary->b);
            return a && b ? combined(binary->op, *a, *b) : std::nullopt;
        }
        if (const auto* cast = ir::as<ir::Cast>(dim))
            return is_real(cast->a) ? truncated(real(cast->a)) : (*this)(cast->a);
        if (const auto* unary = ir::as<ir::Unary>(dim))
            return applied(unary->op, (*this)(unary->a));
        if (const auto* select = ir::as<ir::Select>(dim)) {
            const Number condition = (*this)(select->condition);
            return condition ? (*this)(*condition ? select->a : select->b) : std::nullopt;
        }
        if (const auto* call = ir::as<ir::Intrinsic>(dim))
            return called(*call);
        return constant_of(dim);
    }

private:
    // What scales make of extents, before it is rounded.
    Real real(const Dim& expr) const {
        Real value = wide(expr);
        if (value && ir::scalar_of(expr->type) == ir::DType::F32)
            value = static_cast<float>(*value);
        return value;
    }
    Real wide(const Dim& expr) const {
        if (const auto* cast = ir::as<ir::Cast>(expr)) {
            if (is_real(cast->a))
                return real(cast->a);
            const Number whole = (*this)(cast->a);
            return whole ? Real(static_cast<double>(*whole)) : std::nullopt;
        }
        if (const auto* binary = ir::as<ir::Binary>(expr)) {
            const Real a = real(binary->a);
            const Real b = real(binary->b);
            return a && b ? combined(binary->op, *a, *b) : std::nullopt;
        }
        if (const auto* unary = ir::as<ir::Unary>(expr); unary && unary->op == ir::UnOp::Neg) {
            const Real a = real(unary->a);
            return a ? Real(-*a) : a;
        }
        if (const auto* select = ir::as<ir::Select>(expr)) {
            const Number condition = (*this)(select->condition);
            return condition ? real(*condition ? select->a : select->b) : std::nullopt;
        }
        if (const auto* call = ir::as<ir::Intrinsic>(expr))
            return called_on_reals(*call);
        return ir::constant_number(expr);
    }
    Real called_on_reals(const ir::Intrinsic& call) const {
        const Real a = call.args.empty() ? std::nullopt : real(call.args[0]);
        if (!a || call.args.size() > 2)
            return std::nullopt;
        if (call.args.size() == 1)
            return rounded(call.id, *a);
        const Real b = real(call.args[1]);
        if (!b || (call.id != ir::IntrinsicId::Min && call.id != ir::IntrinsicId::Max))
            return std::nullopt;
        return call.id == ir::IntrinsicId::Min ? std::min(*a, *b) : std::max(*a, *b);
    }
    static Number applied(ir::UnOp op, Number a) {
        if (!a)
            return a;
        switch (op) {
        case ir::UnOp::Neg: return combined(BinOp::Sub, 0, *a);
        case ir::UnOp::Not: return !*a;
        case ir::UnOp::BitNot: return ~*a;
        }
        return std::nullopt;
    }
    Number called(const ir::Intrinsic& call) const {
        if (call.args.size() == 1 && is_real(call.args[0]))
            return classified(call.id, real(call.args[0]));
        if (call.args.size() != 2 || (call.id != ir::IntrinsicId::Min && call.id != ir::IntrinsicId::Max))
            return std::nullopt;
        const Number a = (*this)(call.args[0]);
        const Number b = (*this)(call.args[1]);
        if (!a || !b)
            return std::nullopt;
        return call.id == ir::IntrinsicId::Min ? std::min(*a, *b) : std::max(*a, *b);
    }

    const SymbolValues& m_symbols;
};

} // namespace

std::optional<std::int64_t> evaluate(const Dim& dim, const SymbolValues& symbols) {
    return Evaluator(symbols)(dim);
}

std::optional<std::vector<std::int64_t>> evaluate(const Shape& shape, const SymbolValues& symbols) {
    std::vector<std::int64_t> extents;
    for (const Dim& each : shape) {
        const auto extent = evaluate(each, symbols);
        if (!extent)
            return std::nullopt;
        extents.push_back(*extent);
    }
    return extents;
}

std::int64_t item_bytes(ir::DType dtype) {
    return ir::bytes_of(ir::is_subbyte(dtype) ? ir::info(dtype).storage : dtype);
}

Dim bytes_of(const TensorSpec& spec) {
    return simplified(ir::mul(element_count(spec.shape), dim(item_bytes(spec.dtype))));
}

} // namespace hidet::graph
