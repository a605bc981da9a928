// SPDX-License-Identifier: Apache-2.0
// Conversions of several values at once, as kernels unpack quantised weights. Integers of a few bits become floats without an
// instruction that converts: put below the exponent of a power of two, an integer is a float that exceeds it by as much.
#include "compiler/ir/packing.h"
#include "lang/host/arguments.h"
#include "lang/script/modules/exports.h"
#include "lang/script/modules/intrinsics.h"
#include "lang/script/translator.h"

namespace hidet::lang {

using ir::DType;

namespace {

struct Conversion {
    DType from, to;
    std::array<int, 3> counts; // of values, as many as there are
};
constexpr Conversion conversions[] = {
    {DType::F16, DType::F32, {2}},       {DType::BF16, DType::F32, {2}},      {DType::F32, DType::F16, {2}},
    {DType::F32, DType::BF16, {2}},      {DType::I4, DType::I8, {8}},         {DType::U4, DType::F16, {8, 4, 2}},
    {DType::I4, DType::F16, {8, 4, 2}},  {DType::U4, DType::BF16, {8, 4, 2}}, {DType::I4, DType::BF16, {8, 4, 2}},
    {DType::U2, DType::F16, {16, 8, 4}}, {DType::I2, DType::F16, {16, 8, 4}}, {DType::U1, DType::F16, {32, 16, 8}},
};

std::string name_of(const Conversion& row, int count) {
    return cat(ir::info(row.from).short_name, "x", count, " to ", ir::info(row.to).short_name, "x", count);
}

std::string known_conversions() {
    std::vector<std::string> names;
    for (const Conversion& row : conversions)
        for (int count : row.counts)
            if (count > 0)
                names.push_back(name_of(row, count));
    return join(names, ", ");
}

// A place in memory or registers, as a pointer to single values.
struct Values {
    ir::ExprRef pointer;
    DType dtype;
};

Values values_at(Evaluator& evaluator, const Value& value, Span span) {
    ir::ExprRef expr = to_expr(value, span);
    if (const auto dtype = ir::scalar_of(expr->type); dtype && ir::has_lanes(*dtype)) // a vector stands where it is
        expr = to_expr(Operations::of(evaluator).unary(ast::UnaryOp::Invert, value, span), span);
    else
        expr = pointer_argument(value, span);
    const ir::TypeRef type = ir::element_of(expr->type);
    const auto dtype = type ? ir::scalar_of(type) : std::nullopt;
    if (!dtype)
        fail(DiagId::ScriptNotAPointer, span, describe(value));
    const DType single = ir::has_lanes(*dtype) ? ir::info(*dtype).lane : *dtype;
    return {ir::cast_to(expr, ir::pointer_type(ir::data_type(single))), single};
}

ir::ExprRef word(std::int64_t bits) {
    return ir::int_constant(bits, DType::U32);
}

ir::ExprRef element(const Values& values, DType dtype, int index) {
    return ir::make_element(ir::cast_to(values.pointer, ir::pointer_type(ir::data_type(dtype))),
                            {ir::int_constant(index)});
}

ir::StmtRef store_word(const Values& to, int index, ir::ExprRef bits) {
    const ir::ExprRef words = ir::cast_to(to.pointer, ir::pointer_type(ir::data_type(DType::U32)));
    return ir::make_store(words, {ir::int_constant(index)}, std::move(bits));
}

// Two integers in the halves of a word, each below 128, as floats: what they are, for signed ones by how much they exceed the
// least one.
ir::ExprRef floats_of(const ir::ExprRef& pair, DType from, DType to) {
    const std::int64_t power = to == DType::F16 ? 0x6400 : 0x4300; // 1024, and 128
    const std::int64_t least = ir::is_signed(from) ? std::int64_t{1} << (ir::info(from).bits - 1) : 0;
    const std::int64_t magic = (power + least) * 0x10001; // the step of a float at the power is one
    const ir::TypeRef type = ir::data_type(to == DType::F16 ? DType::F16x2 : DType::BF16x2);
    const auto as = [](const ir::ExprRef& value, const ir::TypeRef& wanted) {
        return ir::make_intrinsic(ir::IntrinsicId::Bitcast, {value}, wanted);
    };
    const ir::ExprRef difference = ir::sub(as(ir::bit_xor(pair, word(magic)), type), as(word(magic), type));
    return as(difference, ir::data_type(DType::U32));
}

ir::ExprRef bits_from(const ir::ExprRef& bits, int shift) {
    return shift ? ir::shift_right(bits, word(shift)) : bits;
}

// Neighbours in a word, the lower one in its lower half.
ir::ExprRef neighbours(const ir::ExprRef& bits, int width, int first) {
    const std::int64_t mask = (std::int64_t{1} << width) - 1;
    const int shift = width * (first + 1);
    const ir::ExprRef high = shift <= 16 ? ir::shift_left(bits, word(16 - shift)) : bits_from(bits, shift - 16);
    return ir::bit_or(ir::bit_and(bits_from(bits, width * first), word(mask)), ir::bit_and(high, word(mask << 16)));
}

ir::StmtVec unpacked(const Values& from, const Values& to, int count) {
    const int width = ir::info(from.dtype).bits, bits = count * width;
    const DType unit = bits == 32 ? DType::U32 : bits == 16 ? DType::U16 : DType::U8;
    const ir::VarRef packed = ir::make_var("packed", ir::data_type(DType::U32));
    ir::StmtVec stmts{ir::make_let_stmt(packed, ir::cast_to(element(from, unit, 0), DType::U32))};
    for (int i = 0; i < count; i += 2)
        stmts.push_back(store_word(to, i / 2, floats_of(neighbours(packed, width, i), from.dtype, to.dtype)));
    return stmts;
}

ir::StmtVec one_by_one(const Values& from, const Values& to, int count) {
    ir::StmtVec stmts;
    for (int i = 0; i < count; ++i)
        stmts.push_back(
            ir::make_store(to.pointer, {ir::int_constant(i)}, ir::cast_to(element(from, from.dtype, i), to.dtype)));
    return stmts;
}

Value convert_values(Evaluator& evaluator, const Arguments& a, Span call) {
    const Values from = values_at(evaluator, a[0], a.span(0)), to = values_at(evaluator, a[1], a.span(1));
    const bool is_given = a.has(2);
    const int fewest = std::min(ir::info(from.dtype).bits, ir::info(to.dtype).bits);
    const std::int64_t count = is_given ? to_int(a[2], a.span(2), "'elements_per_vector'") : 32 / std::max(fewest, 1);
    const auto* row = std::ranges::find_if(conversions, [&](const Conversion& known) {
        return known.from == from.dtype && known.to == to.dtype && std::ranges::count(known.counts, count) != 0;
    });
    if (row == std::end(conversions) || count <= 0)
        fail(DiagId::ScriptUnknownChoice, call, "the conversion of cvtv()",
             cat(ir::info(from.dtype).short_name, "x", count, " to ", ir::info(to.dtype).short_name, "x", count),
             known_conversions());
    Operations::of(evaluator).need_gpu("cvtv", call);
    const bool is_packed = ir::is_subbyte(from.dtype) && ir::is_float(to.dtype);
    return Value::stmt(typed(call, [&] {
        return ir::make_seq(is_packed ? unpacked(from, to, static_cast<int>(count))
                                      : one_by_one(from, to, static_cast<int>(count)));
    }));
}

// The halves of a word are values that lie four apart: an instruction less for each pair.
Value convert_interleaved(Evaluator& evaluator, Args& args, Span call) {
    constexpr std::string_view name = "cast_u4x8_to_f16x8_interleaved";
    Arguments a(args, call, name, {"x", "y"});
    const Values from = values_at(evaluator, a[0], a.span(0)), to = values_at(evaluator, a[1], a.span(1));
    if (from.dtype != DType::U4 || to.dtype != DType::F16)
        fail(DiagId::ScriptUnknownChoice, call, cat("the conversion of ", name, "()"),
             cat(ir::info(from.dtype).short_name, " to ", ir::info(to.dtype).short_name), "u4 to f16");
    Operations::of(evaluator).need_gpu(name, call);
    return Value::stmt(typed(call, [&] {
        const ir::VarRef packed = ir::make_var("packed", ir::data_type(DType::U32));
        ir::StmtVec stmts{ir::make_let_stmt(packed, element(from, DType::U32, 0))};
        for (int i = 0; i < 4; ++i) {
            const ir::ExprRef pair = ir::bit_and(bits_from(packed, 4 * i), word(0x000F000F));
            stmts.push_back(store_word(to, i, floats_of(pair, from.dtype, to.dtype)));
        }
        return ir::make_seq(std::move(stmts));
    }));
}

} // namespace

void export_packed_conversions(HostModule& module) {
    module.function("cvtv", {"src", "dst", "elements_per_vector="}, convert_values);
    module.function("cast_u4x8_to_f16x8_interleaved", convert_interleaved);
}

} // namespace hidet::lang
