// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/expressions.h"

#include <bit>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using artifact::ExprOp;
using ir::BinOp;

struct NoValue {};

bool is_of_reals(const Dim& expr) {
    const auto dtype = ir::scalar_of(expr->type);
    return dtype && ir::is_float(*dtype);
}

ExprOp whole_op(BinOp op) {
    switch (op) {
    case BinOp::Add: return ExprOp::Add;
    case BinOp::Sub: return ExprOp::Sub;
    case BinOp::Mul: return ExprOp::Mul;
    case BinOp::Div: return ExprOp::Div;
    case BinOp::Mod: return ExprOp::Mod;
    case BinOp::FloorDiv: return ExprOp::FloorDiv;
    case BinOp::FloorMod: return ExprOp::FloorMod;
    case BinOp::Lt: return ExprOp::Lt;
    case BinOp::Le: return ExprOp::Le;
    case BinOp::Eq: return ExprOp::Eq;
    case BinOp::Ne: return ExprOp::Ne;
    case BinOp::And: return ExprOp::And;
    case BinOp::Or: return ExprOp::Or;
    case BinOp::BitAnd: return ExprOp::BitAnd;
    case BinOp::BitOr: return ExprOp::BitOr;
    case BinOp::BitXor: return ExprOp::BitXor;
    case BinOp::Shl: return ExprOp::Shl;
    case BinOp::Shr: return ExprOp::Shr;
    }
    throw NoValue();
}

ExprOp real_op(BinOp op) {
    switch (op) {
    case BinOp::Add: return ExprOp::RealAdd;
    case BinOp::Sub: return ExprOp::RealSub;
    case BinOp::Mul: return ExprOp::RealMul;
    case BinOp::Div: return ExprOp::RealDiv;
    case BinOp::Lt: return ExprOp::RealLt;
    case BinOp::Le: return ExprOp::RealLe;
    case BinOp::Eq: return ExprOp::RealEq;
    case BinOp::Ne: return ExprOp::RealNe;
    default: throw NoValue();
    }
}

ExprOp real_function(ir::IntrinsicId id) {
    switch (id) {
    case ir::IntrinsicId::Floor: return ExprOp::RealFloor;
    case ir::IntrinsicId::Ceil: return ExprOp::RealCeil;
    case ir::IntrinsicId::Trunc: return ExprOp::RealTrunc;
    case ir::IntrinsicId::Round: return ExprOp::RealRound;
    case ir::IntrinsicId::Sqrt: return ExprOp::RealSqrt;
    case ir::IntrinsicId::Min: return ExprOp::RealMin;
    case ir::IntrinsicId::Max: return ExprOp::RealMax;
    case ir::IntrinsicId::IsNan: return ExprOp::RealIsNan;
    case ir::IntrinsicId::IsInf: return ExprOp::RealIsInf;
    case ir::IntrinsicId::IsFinite: return ExprOp::RealIsFinite;
    default: throw NoValue();
    }
}

ExprOp whole_function(ir::IntrinsicId id) {
    switch (id) {
    case ir::IntrinsicId::Min: return ExprOp::Min;
    case ir::IntrinsicId::Max: return ExprOp::Max;
    default: throw NoValue();
    }
}

class PostfixWriter {
public:
    explicit PostfixWriter(Expressions& table) : m_table(table) {}

    artifact::Expression take(const Dim& dim) {
        whole(dim);
        return std::move(m_out);
    }

private:
    void put(ExprOp op, std::int64_t operand = 0) { m_out.push_back({op, operand}); }

    void whole(const Dim& dim) {
        if (is_of_reals(dim))
            throw NoValue();
        if (const auto* symbol = ir::as<ir::SymbolVar>(dim))
            return put(ExprOp::Symbol, m_table.symbol(symbol->name));
        if (const auto* binary = ir::as<ir::Binary>(dim))
            return is_of_reals(binary->a) ? operands(*binary, real_op(binary->op))
                                          : operands(*binary, whole_op(binary->op));
        if (const auto* cast = ir::as<ir::Cast>(dim)) {
            any(cast->a);
            return is_of_reals(cast->a) ? put(ExprOp::Whole) : void();
        }
        if (const auto* unary = ir::as<ir::Unary>(dim)) {
            whole(unary->a);
            return put(unary->op == ir::UnOp::Neg   ? ExprOp::Neg
                       : unary->op == ir::UnOp::Not ? ExprOp::Not
                                                    : ExprOp::BitNot);
        }
        if (const auto* select = ir::as<ir::Select>(dim))
            return choice(*select);
        if (const auto* call = ir::as<ir::Intrinsic>(dim))
            return called(*call);
        const auto constant = constant_of(dim);
        if (!constant)
            throw NoValue();
        put(ExprOp::Constant, *constant);
    }
    // What scales make of extents, before it is rounded.
    void real(const Dim& expr) {
        if (const auto* cast = ir::as<ir::Cast>(expr)) {
            any(cast->a);
            if (!is_of_reals(cast->a))
                put(ExprOp::Real);
        } else if (const auto* binary = ir::as<ir::Binary>(expr)) {
            operands(*binary, real_op(binary->op));
        } else if (const auto* unary = ir::as<ir::Unary>(expr); unary && unary->op == ir::UnOp::Neg) {
            real(unary->a);
            put(ExprOp::RealNeg);
        } else if (const auto* select = ir::as<ir::Select>(expr)) {
            choice(*select);
        } else if (const auto* call = ir::as<ir::Intrinsic>(expr)) {
            called(*call);
        } else {
            const auto constant = ir::constant_number(expr);
            if (!constant)
                throw NoValue();
            put(ExprOp::Constant, std::bit_cast<std::int64_t>(*constant));
        }
        if (ir::scalar_of(expr->type) == ir::DType::F32)
            put(ExprOp::RealF32);
    }
    void any(const Dim& expr) { is_of_reals(expr) ? real(expr) : whole(expr); }
    void operands(const ir::Binary& binary, ExprOp op) {
        any(binary.a);
        any(binary.b);
        put(op);
    }
    void choice(const ir::Select& select) {
        whole(select.condition);
        any(select.a);
        any(select.b);
        put(ExprOp::Select);
    }
    void called(const ir::Intrinsic& call) {
        const bool has_reals = !call.args.empty() && is_of_reals(call.args[0]);
        const ExprOp op = has_reals ? real_function(call.id) : whole_function(call.id);
        if (call.args.size() != static_cast<std::size_t>(artifact::info(op).operands))
            throw NoValue();
        for (const Dim& argument : call.args)
            any(argument);
        put(op);
    }

    Expressions& m_table;
    artifact::Expression m_out;
};

} // namespace

artifact::Row Expressions::add(artifact::Expression expression) {
    const auto [found, is_new] = m_rows.emplace(std::move(expression), m_plan.expressions.size());
    if (is_new)
        m_plan.expressions.push_back(found->first);
    return found->second;
}

artifact::Row Expressions::symbol(const std::string& name) {
    const auto [found, is_new] = m_symbols.emplace(name, m_plan.symbols.size());
    if (is_new)
        m_plan.symbols.push_back({.name = name});
    return found->second;
}

artifact::Row Expressions::of(const Dim& dim) {
    try {
        return add(PostfixWriter(*this).take(dim));
    } catch (const NoValue&) {
        return add({{ExprOp::Constant, 1}, {ExprOp::Constant, 0}, {ExprOp::Div, 0}});
    }
}

std::vector<artifact::Row> Expressions::of(const Shape& shape) {
    std::vector<artifact::Row> rows;
    for (const Dim& each : shape)
        rows.push_back(of(each));
    return rows;
}

artifact::Row Expressions::combined(ExprOp op, artifact::Row a, artifact::Row b) {
    const auto x = artifact::constant_of(m_plan.expressions[a]);
    const auto y = artifact::constant_of(m_plan.expressions[b]);
    const artifact::Expression whole = {{ExprOp::Earlier, a}, {ExprOp::Earlier, b}, {op, 0}};
    if (!x || !y)
        return add(whole);
    const auto value = artifact::evaluate({{{ExprOp::Constant, *x}, {ExprOp::Constant, *y}, {op, 0}}}, {}).front();
    return value ? constant(*value) : add(whole);
}

} // namespace hidet::graph
