// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/bytecode/generator.h"
#include "lang/base/transformed.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

Value IntrinsicGenerator::gen_math(Op op, const ir::Intrinsic& e) {
    std::vector<Value> args = transformed(e.args, [&](const ir::ExprRef& arg) { return gen(arg); });
    auto one = [&](const std::vector<Value>& values) {
        Scalar type = values[0].type;
        bool rounds = op == Op::Round || op == Op::Ceil || op == Op::Floor || op == Op::Trunc;
        if (!is_real(type) && rounds)
            return values[0];
        if (!is_real(type) && op == Op::Fma)
            return arithmetic_scalar(ir::BinOp::Add, arithmetic_scalar(ir::BinOp::Mul, values[0], values[1]),
                                     values[2]);
        if (!is_real(type) && op != Op::Min && op != Op::Max && op != Op::Abs)
            unsupported(e, cat("'", ir::info(e.id).name, "' of integers"));
        return compute(op, type, values);
    };
    if (args[0].lanes.empty())
        return one(args);
    Value out{.kind = Value::Kind::Vector};
    for (std::size_t lane = 0; lane < args[0].lanes.size(); ++lane) {
        std::vector<Value> values =
            transformed(args, [&](const Value& arg) { return arg.lanes.empty() ? arg : arg.lanes.at(lane); });
        out.lanes.push_back(one(values));
    }
    return out;
}

// Every function has the opcode of its name.
#define HIDET_INTRINSIC(id, ...)                                                                                       \
    Value IntrinsicGenerator::emulate(Of<IntrinsicId::id>, const ir::Intrinsic& e) {                                   \
        return gen_math(Op::id, e);                                                                                    \
    }
#include "compiler/ir/intrinsics/math.def"
#undef HIDET_INTRINSIC

} // namespace hidet::compiler::bytecode
