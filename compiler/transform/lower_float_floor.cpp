// SPDX-License-Identifier: Apache-2.0
// Python's `//` and `%` on floats, written with what a GPU has: the truncating remainder, division and floor. The results are
// those of lang/base/scalar_ops.def, bit for bit; short floats are computed in float32 and rounded once.
//
// Needs: no let expressions (lift-let).
// Guarantees: FloorDiv and FloorMod stand between integers only.
// Why here: for code generators; the emulator has operations of its own for both.
#include "compiler/analysis/kinds.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/transform/lifter.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

bool is_float_floor(const Node& node) {
    if (node.kind != Kind::Binary)
        return false;
    const auto& expr = static_cast<const Binary&>(node);
    auto dtype = scalar_of(expr.type);
    return dtype && is_float(*dtype) && (expr.op == BinOp::FloorDiv || expr.op == BinOp::FloorMod);
}

class FloorLowerer : public Lifter {
public:
    using Lifter::Lifter;

protected:
    using Lifter::visit;

    ExprRef visit(const Binary& expr) override {
        if (!is_float_floor(expr))
            return Lifter::visit(expr);
        ExprVec operands = in_order({expr.a, expr.b});
        DType wide = *scalar_of(expr.type) == DType::F64 ? DType::F64 : DType::F32;
        ExprRef a = named("a", cast_to(operands[0], wide));
        ExprRef b = named("b", cast_to(operands[1], wide));
        m_dtype = wide;
        return cast_to(expr.op == BinOp::FloorMod ? remainder(a, b) : quotient(a, b), expr.type);
    }

private:
    ExprRef named(const char* name, const ExprRef& value) {
        if (value->kind == Kind::Constant || is_own(value))
            return value;
        VarRef var = make_var(name, value->type);
        add_own(*var);
        lift(make_let_stmt(var, value));
        return var;
    }
    ExprRef number(double value) const { return float_constant(value, m_dtype); }
    ExprRef zero_with_sign_of(const ExprRef& value) const {
        return make_select(less(value, number(0.0)), number(-0.0), number(0.0));
    }
    ExprRef signs_differ(const ExprRef& rest, const ExprRef& b) const {
        return not_equal(less(rest, number(0.0)), less(b, number(0.0)));
    }
    static ExprRef floor_of(const ExprRef& value) { return make_intrinsic(IntrinsicId::Floor, {value}, nullptr); }

    ExprRef remainder(const ExprRef& a, const ExprRef& b) {
        ExprRef rest = named("rest", make_binary(BinOp::Mod, a, b));
        ExprRef shifted = make_select(signs_differ(rest, b), make_binary(BinOp::Add, rest, b), rest);
        return make_select(equal(rest, number(0.0)), zero_with_sign_of(b), shifted);
    }

    // floor(a / b) rounds twice, which may be one too many: the exact multiple of b is divided instead.
    ExprRef quotient(const ExprRef& a, const ExprRef& b) {
        ExprRef ratio = named("ratio", make_binary(BinOp::Div, a, b));
        ExprRef rest = named("rest", make_binary(BinOp::Mod, a, b));
        ExprRef whole = named("whole", make_binary(BinOp::Div, make_binary(BinOp::Sub, a, rest), b));
        ExprRef is_below = logical_and(not_equal(rest, number(0.0)), signs_differ(rest, b));
        ExprRef below = named("below", make_select(is_below, make_binary(BinOp::Sub, whole, number(1.0)), whole));
        ExprRef floor = named("floor", floor_of(below));
        ExprRef is_more = less(number(0.5), make_binary(BinOp::Sub, below, floor));
        ExprRef rounded = make_select(is_more, make_binary(BinOp::Add, floor, number(1.0)), floor);
        // A quotient of 0 is that of a ratio in [0, 1) or of -0.0, and has its sign.
        ExprRef finite = make_select(equal(below, number(0.0)), floor_of(ratio), rounded);
        return make_select(equal(b, number(0.0)), ratio, finite);
    }

    DType m_dtype = DType::F32;
};

} // namespace

ModuleRef lower_float_floor(const ModuleRef& module, PassContext& context) {
    return map_functions(module, [&](const FunctionRef& function) {
        if (!any_node(*function->body, is_float_floor))
            return function;
        Uses uses = uses_in(*function, module.get());
        FloorLowerer lowerer(context.pass, *module, uses);
        return with_body(function, lowerer.rewrite(function->body));
    });
}

} // namespace hidet::compiler
