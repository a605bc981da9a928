// SPDX-License-Identifier: Apache-2.0
// Vectors of the CPU lane by lane, atomics as what they do on one thread, and memory.
#include <array>

#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/vector_lanes.h"
#include "lang/base/transformed.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

namespace {

constexpr int float_bytes = 4;

Value vector_of(std::vector<Value> lanes) {
    Value out{.kind = Value::Kind::Vector};
    out.lanes = std::move(lanes);
    return out;
}

int lanes_of(const ir::TypeRef& type) {
    return ir::info(*ir::scalar_of(type)).lanes;
}

} // namespace

Value IntrinsicGenerator::gen_same_lanes(const ir::Intrinsic& e, const Value& value) {
    return vector_of(std::vector<Value>(static_cast<std::size_t>(lanes_of(e.type)), value));
}

Value IntrinsicGenerator::gen_load_lanes(const ir::Intrinsic& e, bool is_aligned) {
    const auto place = place_of_pointer(e.args.at(0));
    const int count = lanes_of(e.type);
    Value out{.kind = Value::Kind::Vector};
    for (int lane = 0; lane < count; ++lane)
        out.lanes.push_back(load_scalar(*place, Scalar::F32, lane * float_bytes,
                                        is_aligned && lane == 0 ? count * float_bytes : float_bytes));
    return out;
}

Value IntrinsicGenerator::gen_store_lanes(const ir::Intrinsic& e, bool is_aligned) {
    const Value value = gen(e.args.at(1));
    const auto place = place_of_pointer(e.args.at(0));
    const auto count = static_cast<int>(value.lanes.size());
    for (int lane = 0; lane < count; ++lane)
        store_scalar(*place, Scalar::F32, lane * float_bytes,
                     is_aligned && lane == 0 ? count * float_bytes : float_bytes,
                     value.lanes[static_cast<std::size_t>(lane)]);
    return {};
}

// f(lane of a, of b, of c)
Value IntrinsicGenerator::gen_lanes(const ir::Intrinsic& e, const LaneFunction& f) {
    std::vector<Value> args = transformed(e.args, [&](const ir::ExprRef& arg) { return gen(arg); });
    Value out{.kind = Value::Kind::Vector};
    for (std::size_t lane = 0; lane < args[0].lanes.size(); ++lane) {
        std::vector<Value> values = transformed(args, [&](const Value& arg) { return arg.lanes.at(lane); });
        out.lanes.push_back(f(values));
    }
    return out;
}

Value IntrinsicGenerator::gen_lane_operator(const ir::Intrinsic& e, ir::BinOp op) {
    return gen_lanes(e, [&](const std::vector<Value>& v) { return arithmetic_scalar(op, v[0], v[1]); });
}

// As the instruction has it: b unless a is greater.
Value IntrinsicGenerator::greater_lane(const Value& a, const Value& b) {
    const std::int32_t x = operand(a), y = operand(b);
    const std::int32_t is_greater = m_builder.emit_value(Op::Lt, Scalar::F32, Scalar::Bool, y, x);
    return made(Op::Select, Scalar::F32, x, y, is_greater);
}

Value IntrinsicGenerator::gen_chosen_lanes(const ir::Intrinsic& e) {
    std::vector<Value> from = gen(e.args.at(0)).lanes;
    if (e.args.size() > 1 && e.args[1]->kind != ir::Kind::Constant) {
        const Value second = gen(e.args[1]);
        from.insert(from.end(), second.lanes.begin(), second.lanes.end());
    }
    Value out{.kind = Value::Kind::Vector};
    const auto chosen = ir::chosen_lanes(e);
    HIDET_CHECK(chosen, ir::info(e.id).name);
    for (int lane : *chosen)
        out.lanes.push_back(lane < 0 ? constant(0, Scalar::F32) : from.at(static_cast<std::size_t>(lane)));
    return out;
}

// The halves are combined until four lanes are left, then those: neighbours of a sum, halves of a maximum.
Value IntrinsicGenerator::gen_all_lanes(const ir::Intrinsic& e, const LaneFunction& f, bool by_neighbours) {
    std::vector<Value> lanes = gen(e.args.at(0)).lanes;
    while (lanes.size() > 1) {
        const std::size_t count = lanes.size() / 2;
        const bool are_neighbours = by_neighbours && count < 4;
        std::vector<Value> fewer;
        for (std::size_t i = 0; i < count; ++i)
            fewer.push_back(f({lanes[are_neighbours ? 2 * i : i], lanes[are_neighbours ? 2 * i + 1 : i + count]}));
        lanes = std::move(fewer);
    }
    return lanes[0];
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::AvxPairSums4>, const ir::Intrinsic& e) {
    Value out{.kind = Value::Kind::Vector};
    for (const ir::ExprRef& arg : e.args) {
        const std::vector<Value> lanes = gen(arg).lanes;
        for (std::size_t i = 0; i < lanes.size(); i += 2)
            out.lanes.push_back(arithmetic_scalar(ir::BinOp::Add, lanes[i], lanes[i + 1]));
    }
    return out;
}

// ---- bytes ------------------------------------------------------------------------------------------------------------

Value IntrinsicGenerator::emulate(Of<IntrinsicId::DotBytes>, const ir::Intrinsic& e) {
    const auto sums = place_of_pointer(e.args.at(0)), bytes = place_of_pointer(e.args.at(1)),
               columns = place_of_pointer(e.args.at(2));
    const int count = ir::number_attribute(e.attr, "columns_at_once");
    constexpr int of_word = 4;
    std::array<Value, of_word> factors;
    for (int i = 0; i < of_word; ++i)
        factors[static_cast<std::size_t>(i)] = convert(load_scalar(*bytes, Scalar::U8, i, 1), Scalar::I32);
    for (int column = 0; column < count; ++column) {
        Value sum = load_scalar(*sums, Scalar::I32, column * of_word, of_word);
        for (int i = 0; i < of_word; ++i) {
            const Value other = convert(load_scalar(*columns, Scalar::I8, column * of_word + i, 1), Scalar::I32);
            const Value product = arithmetic_scalar(ir::BinOp::Mul, factors[static_cast<std::size_t>(i)], other);
            sum = arithmetic_scalar(ir::BinOp::Add, sum, product);
        }
        store_scalar(*sums, Scalar::I32, column * of_word, of_word, sum);
    }
    return {};
}

// ---- atomics --------------------------------------------------------------------------------------------------------

Value IntrinsicGenerator::gen_update(const ir::Intrinsic& e, ir::BinOp op, bool gives_new) {
    const Value value = gen(e.args.at(1));
    const auto place = place_of_pointer(e.args.at(0));
    const Value old = load(*place, e.type);
    const Value made = arithmetic_scalar(op, old, value);
    store(*place, e.type, made);
    return gives_new ? made : old;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// Until the call ends, whoever gives it back; its addresses are multiples of whatever is asked for.
Value IntrinsicGenerator::emulate(Of<IntrinsicId::CpuAllocate>, const ir::Intrinsic& e) {
    const std::int32_t bytes = operand(convert(gen(e.args.at(0)), Scalar::I64));
    gen(e.args.at(1));
    return made({.op = Op::Workspace, .type = Scalar::U64, .dst = m_builder.new_u(), .a = bytes}, Scalar::U64);
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::CpuFree>, const ir::Intrinsic& e) {
    gen(e.args.at(0));
    return {};
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::CpuFill>, const ir::Intrinsic& e) {
    const std::int32_t to = arg(e, 0), value = operand(convert(gen(e.args.at(1)), Scalar::I32));
    const std::int32_t bytes = operand(convert(gen(e.args.at(2)), Scalar::I64));
    return gen_instruction({.op = Op::Copy, .type = Scalar::U64, .a = to, .b = value, .c = bytes, .x = 1});
}

} // namespace hidet::compiler::bytecode
