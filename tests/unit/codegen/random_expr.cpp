// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/codegen/random_expr.h"

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"

namespace hidet::test {

using namespace ir;

namespace {

const std::vector<DType>& list(ExprTypes types) {
    static const std::vector<DType> integers = {DType::Bool, DType::I8, DType::I16, DType::I32, DType::I32,
                                                DType::I64,  DType::U8, DType::U16, DType::U32, DType::U64};
    static const std::vector<DType> all = [] {
        std::vector<DType> both = integers;
        both.insert(both.end(), {DType::F16, DType::BF16, DType::F32, DType::F64});
        return both;
    }();
    return types == ExprTypes::All ? all : integers;
}

class Expressions {
public:
    Expressions(Random& random, ExprTypes types, VarRef x, VarRef row)
        : m_random(random), m_types(types), m_x(std::move(x)), m_row(std::move(row)) {}

    ExprRef of(DType type, int depth) {
        if (depth == 0 || m_random.chance(10))
            return leaf(type);
        if (m_random.chance(12))
            return make_cast(of(m_random.of(list(m_types)), depth - 1), data_type(type));
        if (m_random.chance(10))
            return make_select(of(DType::Bool, depth - 1), of(type, depth - 1), of(type, depth - 1));
        if (type == DType::Bool)
            return truth(depth);
        if (m_random.chance(8))
            return make_unary(!is_integer(type) || m_random.chance(50) ? UnOp::Neg : UnOp::BitNot, of(type, depth - 1));
        return is_integer(type) ? integer(type, depth) : real(type, depth);
    }

private:
    ExprRef leaf(DType type) {
        if (m_random.chance(35))
            return constant(type);
        ExprRef place = make_binary(BinOp::Add, make_binary(BinOp::Mul, m_row, int_constant(expr_inputs)),
                                    int_constant(m_random.in(0, expr_inputs - 1)));
        ExprRef bits = make_element(m_x, {place});
        if (is_integer(type))
            return make_cast(bits, data_type(type));
        ExprRef small = make_binary(BinOp::FloorMod, bits, int_constant(2000, DType::I64));
        ExprRef number = make_cast(small, data_type(DType::F32));
        ExprRef half = make_binary(BinOp::Div, number, float_constant(8.0));
        return type == DType::F32 ? half : make_cast(half, data_type(type));
    }
    ExprRef constant(DType type) {
        static const std::vector<std::int64_t> special = {
            0, 1, -1, 2, 7, 31, 127, 128, 255, -128, 32767, 65535, 2147483647, -2147483648ll, 4294967295ll, 1ll << 40};
        if (is_float(type))
            return float_constant(static_cast<double>(m_random.in(-40, 40)) / 4, type);
        std::int64_t value = m_random.chance(50) ? m_random.of(special) : m_random.in(-20, 40);
        return int_constant(wrap_to(value, type), type);
    }
    ExprRef truth(int depth) {
        if (m_random.chance(15))
            return make_unary(m_random.chance(80) ? UnOp::Not : UnOp::BitNot, of(DType::Bool, depth - 1));
        if (m_random.chance(30)) {
            auto op = m_random.of(std::vector<BinOp>{BinOp::And, BinOp::Or, BinOp::BitAnd, BinOp::BitOr, BinOp::BitXor,
                                                     BinOp::Add, BinOp::Sub, BinOp::Mul});
            return make_binary(op, of(DType::Bool, depth - 1), of(DType::Bool, depth - 1));
        }
        DType type = m_random.of(list(m_types));
        auto op = m_random.of(std::vector<BinOp>{BinOp::Lt, BinOp::Le, BinOp::Eq, BinOp::Ne});
        return make_binary(op, of(type, depth - 1), of(type, depth - 1));
    }
    ExprRef integer(DType type, int depth) {
        switch (m_random.in(0, 13)) {
        case 0:
        case 1:
        case 2: return make_binary(BinOp::Add, of(type, depth - 1), of(type, depth - 1));
        case 3:
        case 4: return make_binary(BinOp::Sub, of(type, depth - 1), of(type, depth - 1));
        case 5:
        case 6: return make_binary(BinOp::Mul, of(type, depth - 1), of(type, depth - 1));
        case 7: {
            auto op = m_random.of(std::vector<BinOp>{BinOp::BitAnd, BinOp::BitOr, BinOp::BitXor});
            return make_binary(op, of(type, depth - 1), of(type, depth - 1));
        }
        case 8: return shift(type, depth, BinOp::Shl);
        case 9: return shift(type, depth, BinOp::Shr);
        case 10:
            return make_intrinsic(m_random.chance(50) ? IntrinsicId::Min : IntrinsicId::Max,
                                  {of(type, depth - 1), of(type, depth - 1)}, data_type(type));
        default: {
            auto op = m_random.of(std::vector<BinOp>{BinOp::Div, BinOp::Mod, BinOp::FloorDiv, BinOp::FloorMod});
            ExprRef divisor = m_types == ExprTypes::Integers || m_random.chance(50)
                                  ? int_constant(m_random.of(std::vector<std::int64_t>{1, 2, 3, 8, 16, 100}), type)
                                  : make_binary(BinOp::BitOr, of(type, depth - 1), int_constant(1, type));
            return make_binary(op, of(type, depth - 1), divisor);
        }
        }
    }
    ExprRef shift(DType type, int depth, BinOp op) {
        DType count = m_random.of(std::vector<DType>{type, DType::I32, DType::U8});
        ExprRef by = m_random.chance(60) ? int_constant(m_random.in(0, 31), count) : of(count, depth - 1);
        return make_binary(op, of(type, depth - 1), by);
    }
    ExprRef real(DType type, int depth) {
        auto op = m_random.of(std::vector<BinOp>{BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div});
        return make_binary(op, of(type, depth - 1), of(type, depth - 1));
    }

    Random& m_random;
    ExprTypes m_types;
    VarRef m_x, m_row;
};

} // namespace

FunctionRef random_expression(Random& random, const std::string& name, FuncKind kind, ExprTypes types) {
    VarRef x = make_var("x", pointer_type(data_type(DType::I64)));
    VarRef out = make_var("out", pointer_type(data_type(DType::I64)));
    VarRef row = make_var("row", data_type(DType::I32));
    DType type = random.of(list(types));
    ExprRef value = Expressions(random, types, x, row).of(type, 4);
    VarRef result = make_var("result", value->type);
    ExprRef bits = result;
    if (is_float(type)) { // a NaN is a NaN, whatever its bits
        ExprRef wide = type == DType::F64 ? ExprRef(result) : make_cast(result, data_type(DType::F64));
        VarRef number = make_var("number", data_type(DType::F64));
        ExprRef safe = make_select(make_binary(BinOp::Eq, number, number), number, float_constant(123.5, DType::F64));
        bits = make_let(number, wide, make_intrinsic(IntrinsicId::Bitcast, {safe}, data_type(DType::I64)));
    } else if (type != DType::I64) {
        bits = make_cast(result, data_type(DType::I64));
    }
    StmtRef body = make_seq({make_let_stmt(result, value), make_store(out, {row}, bits)});
    StmtRef loop = make_for(row, int_constant(expr_rows), {}, body);
    return function_of(name, kind, {x, out}, loop);
}

FunctionRef for_threads(const FunctionRef& function) {
    class ThreadForRow : public Rewriter {
    protected:
        using Rewriter::visit;
        StmtRef visit(const ForStmt& s) override {
            replace(s.var, make_builtin(Builtin::ThreadIdxX));
            return rewrite(s.body);
        }
    };
    Function kernel = *function;
    kernel.body = ThreadForRow().rewrite(kernel.body);
    kernel.block_dim = {int_constant(expr_rows), int_constant(1), int_constant(1)};
    return make<Function>(std::move(kernel));
}

std::vector<std::int64_t> expression_inputs() {
    Random random(7);
    std::vector<std::int64_t> values;
    for (int i = 0; i < expr_inputs * expr_rows; ++i) {
        std::int64_t bits = random.in(-(1ll << 62), 1ll << 62) * 2 + random.in(0, 1);
        values.push_back(bits >> random.in(0, 62));
    }
    return values;
}

} // namespace hidet::test
