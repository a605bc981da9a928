// SPDX-License-Identifier: Apache-2.0
// Division by a number that is known before the kernel runs: a multiplication and a shift. With l bits of a divisor d,
// m = 2^(31 + l) / d + 1 - 2^32 and s = l - 1, the quotient of n is (the upper half of m * n, plus n) >> s, plus one where that is
// negative. A negative divisor turns the signs of m and of n.
#include "lang/host/arguments.h"
#include "lang/script/modules/exports.h"
#include "lang/script/modules/intrinsics.h"
#include "lang/script/translator.h"

namespace hidet::lang {

using ir::DType;

namespace {

ir::ExprRef upper_half(const ir::ExprRef& a, const ir::ExprRef& b) {
    const ir::ExprRef product = ir::mul(ir::cast_to(a, DType::I64), ir::cast_to(b, DType::I64));
    return ir::cast_to(ir::shift_right(product, ir::int_constant(32, DType::I64)), DType::I32);
}

ir::ExprRef quotient(const ir::ExprRef& dividend, const ir::ExprRef& m, const ir::ExprRef& s, const ir::ExprRef& ads) {
    const ir::VarRef sum = ir::make_var("sum", ir::data_type(DType::I32)),
                     shifted = ir::make_var("shifted", ir::data_type(DType::I32));
    const ir::ExprRef sign = ir::cast_to(
        ir::shift_right(ir::cast_to(ir::ExprRef(shifted), DType::U32), ir::int_constant(31, DType::U32)), DType::I32);
    const ir::ExprRef rounded = ir::make_let(shifted, ir::shift_right(sum, s), ir::add(shifted, sign));
    const ir::ExprRef is_shifted = ir::less_equal(ir::int_constant(0), s);
    return ir::make_let(sum, ir::add(upper_half(m, dividend), ir::mul(dividend, ads)),
                        ir::select(is_shifted, rounded, sum));
}

NativeFunction division(const std::string& name, bool is_remainder) {
    return [name, is_remainder](Evaluator& evaluator, Args& args, Span call) {
        Operations::of(evaluator).keep(args.positional, call); // named more than once
        Arguments a(args, call, name, {"dividend", "divisor", "m", "s", "ads"});
        ir::ExprVec operands;
        for (std::size_t i = 0; i < 5; ++i)
            operands.push_back(converted(evaluator, a[i], DType::I32, a.span(i)));
        return Value::expr(typed(call, [&] {
            const ir::ExprRef result = quotient(operands[0], operands[2], operands[3], operands[4]);
            return is_remainder ? ir::sub(operands[0], ir::mul(result, operands[1])) : result;
        }));
    };
}

// Where a result goes: a variable or an element of i32, or a pointer to one.
ir::ExprRef place_of(Evaluator& evaluator, const Value& value, Span span) {
    ir::ExprRef expr = to_expr(value, span);
    if (!ir::is_address(expr->type))
        expr = to_expr(Operations::of(evaluator).unary(ast::UnaryOp::Invert, value, span), span);
    const ir::TypeRef type = pointee(expr, span);
    if (ir::scalar_of(type) != DType::I32)
        fail(DiagId::ScriptUnknownChoice, span, "what a number of the division is kept in", type_text(type), "i32");
    return expr;
}

ir::StmtVec magic_numbers(const ir::ExprRef& divisor, const ir::ExprRef& m, const ir::ExprRef& s,
                          const ir::ExprRef& ads) {
    const ir::TypeRef wide = ir::data_type(DType::I64);
    const auto number = [](std::int64_t value) { return ir::int_constant(value, DType::I64); };
    const auto named = [&](const char* name) { return ir::make_var(name, wide); };
    const ir::VarRef value = named("divisor"), size = named("size"), bits = named("bits"), power = named("power"),
                     multiplier = named("multiplier");
    const ir::ExprRef is_negative = ir::less(value, number(0)), is_one = ir::equal(size, number(1));
    const auto set = [](const ir::ExprRef& place, const ir::ExprRef& result) {
        return ir::make_store(place, {ir::int_constant(0)}, ir::cast_to(result, DType::I32));
    };
    const ir::ExprRef quotient = ir::floor_div(ir::mul(power, number(std::int64_t{1} << 31)), size);
    const ir::ExprRef found = ir::sub(quotient, number((std::int64_t{1} << 32) - 1));
    return {ir::make_let_stmt(value, ir::cast_to(divisor, wide)),
            ir::make_assert(ir::not_equal(value, number(0)), "a divisor is not zero"),
            ir::make_let_stmt(size, ir::select(is_negative, ir::negate(value), value)),
            ir::make_declare(bits, number(1)),
            ir::make_declare(power, number(2)),
            ir::make_while(ir::less(power, size), ir::make_seq({ir::make_assign(bits, ir::add(bits, number(1))),
                                                                ir::make_assign(power, ir::mul(power, number(2)))})),
            ir::make_let_stmt(multiplier, ir::select(is_one, number(0), found)),
            set(m, ir::select(is_negative, ir::negate(multiplier), multiplier)),
            set(s, ir::select(is_one, number(-1), ir::sub(bits, number(1)))),
            set(ads, ir::select(is_negative, number(-1), number(1)))};
}

Value calculate_magic_numbers(Evaluator& evaluator, const Arguments& a, Span call) {
    Operations::of(evaluator).need_host("calculate_magic_numbers", call);
    const ir::ExprRef divisor = converted(evaluator, a[0], DType::I32, a.span(0));
    ir::ExprVec places;
    for (std::size_t i = 1; i < 4; ++i)
        places.push_back(place_of(evaluator, a[i], a.span(i)));
    return Value::stmt(
        typed(call, [&] { return ir::make_seq(magic_numbers(divisor, places[0], places[1], places[2])); }));
}

} // namespace

void export_fast_division(HostModule& module) {
    module.function("fast_intdiv", division("fast_intdiv", false));
    module.function("fast_intmod", division("fast_intmod", true));
}

void export_magic_numbers(HostModule& module) {
    module.function("calculate_magic_numbers", {"divisor", "m", "s", "ads"}, calculate_magic_numbers);
}

} // namespace hidet::lang
