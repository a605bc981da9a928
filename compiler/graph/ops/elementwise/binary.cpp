// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using Math = ir::IntrinsicId;
using ir::DType;
using ir::ExprRef;

ExprRef bit_count(const ExprRef& x) {
    return ir::int_constant(ir::info(scalar_dtype(x)).bits, DType::I64);
}

// A count that is out of range, a negative one too, has no meaning on any machine.
ExprRef is_in_range(const ExprRef& count, const ExprRef& x) {
    return ir::logical_and(ir::less_equal(ir::int_constant(0, DType::I64), count), ir::less(count, bit_count(x)));
}

ExprRef shifted_left(const ExprRef& x, const ExprRef& y) {
    return shared(ir::cast_to(y, DType::I64), [&](const ExprRef& count) {
        return ir::select(is_in_range(count, x), ir::shift_left(x, ir::cast_to(count, DType::I32)), number(0, x));
    });
}

ExprRef shifted_right(const ExprRef& x, const ExprRef& y) {
    return shared(ir::cast_to(y, DType::I64), [&](const ExprRef& count) {
        const ExprRef last = ir::int_constant(ir::info(scalar_dtype(x)).bits - 1, DType::I32);
        const ExprRef rest = ir::is_signed(scalar_dtype(x)) ? ir::shift_right(x, last) : number(0, x);
        return ir::select(is_in_range(count, x), ir::shift_right(x, ir::cast_to(count, DType::I32)), rest);
    });
}

// By squaring. Only the low seven bits of the exponent matter: from 64 on the power of an even number is 0 in every type, and
// that of 1 and -1 depends on the last bit alone; any other overflows.
ExprRef integer_power(const ExprRef& base, const ExprRef& exponent, const ExprRef& result, int bit) {
    const ExprRef is_set =
        ir::not_equal(ir::bit_and(exponent, ir::int_constant(1 << bit, DType::I64)), ir::int_constant(0, DType::I64));
    const ExprRef next =
        bit == 0 ? ir::select(is_set, base, result) : ir::select(is_set, ir::mul(result, base), result);
    if (bit == 6)
        return next;
    return shared(next, [&](const ExprRef& power) {
        return shared(ir::mul(base, base),
                      [&](const ExprRef& square) { return integer_power(square, exponent, power, bit + 1); });
    });
}

ExprRef power_of_integers(const ExprRef& x, const ExprRef& y) {
    const ExprRef zero = ir::int_constant(0, DType::I64);
    const ExprRef one = number(1, x);
    return shared(ir::cast_to(y, DType::I64), [&](const ExprRef& exponent) {
        const ExprRef low = ir::bit_and(exponent, ir::int_constant(63, DType::I64));
        const ExprRef parity = ir::bit_and(exponent, ir::int_constant(1, DType::I64));
        const ExprRef high = ir::add(parity, ir::int_constant(64, DType::I64));
        const ExprRef reduced = ir::select(ir::less(exponent, ir::int_constant(64, DType::I64)), low, high);
        const ExprRef positive = shared(reduced, [&](const ExprRef& bits) { return integer_power(x, bits, one, 0); });
        if (!ir::is_signed(scalar_dtype(y)))
            return positive;
        const ExprRef is_even = ir::equal(parity, zero);
        const ExprRef of_minus_one =
            ir::select(ir::equal(x, number(-1, x)), ir::select(is_even, one, number(-1, x)), number(0, x));
        const ExprRef negative = ir::select(ir::equal(x, one), one, of_minus_one);
        return ir::select(ir::less(exponent, zero), negative, positive);
    });
}

ExprRef power(const ExprRef& x, const ExprRef& y) {
    const auto dtype = ir::promote(scalar_dtype(x), scalar_dtype(y));
    if (!dtype || !ir::is_integer(*dtype))
        return ir::math(Math::Pow, {x, y});
    return shared(ir::cast_to(x, *dtype), [&](const ExprRef& base) { return power_of_integers(base, y); });
}

ExprRef let(const ExprRef& value, const Unary& body) {
    const ir::VarRef var = ir::make_var("v", value->type);
    return ir::make_let(var, value, body(var));
}

// Halves of the list, so that the expression of many tensors is not deep.
ExprRef extreme(const ir::ExprVec& elements, std::size_t first, std::size_t last, const Binary& better) {
    if (last - first == 1)
        return elements[first];
    const std::size_t middle = first + (last - first) / 2;
    const ExprRef left = extreme(elements, first, middle, better);
    const ExprRef right = extreme(elements, middle, last, better);
    // Operands that are read twice become Lets around the whole, which of many would be as deep as they are many.
    const auto& held = elements.size() > 64 ? let : shared;
    return held(left, [&](const ExprRef& a) { return held(right, [&](const ExprRef& b) { return better(a, b); }); });
}

Task define_extreme(const OpCall& call, const char* name, const Binary& better) {
    return define_pointwise(call, name,
                            [&](const ir::ExprVec& elements) { return extreme(elements, 0, elements.size(), better); });
}

} // namespace

std::span<const OpInfo> op_tables::binary() {
    static const OpInfo table[] = {
#define HIDET_BINARY(Name, python, arguments, summary, value)                                                          \
    {OpId::Name,                                                                                                       \
     python,                                                                                                           \
     "x, y",                                                                                                           \
     OpClass::Elementwise,                                                                                             \
     summary,                                                                                                          \
     "hidet.ops." python "(" arguments ")",                                                                            \
     [](const OpCall& call) {                                                                                          \
         return define_binary(call, python, [](const ExprRef& x, const ExprRef& y) { return value; });                 \
     }},
#include "compiler/graph/ops/elementwise/binary.def"
#undef HIDET_BINARY
        {OpId::Mod, "mod", "x, y, fmod: bool = False", OpClass::Elementwise,
         "the remainder with the divisor's sign, or with `fmod` the dividend's; of integers 0 where the divisor is 0",
         "hidet.ops.mod(hidet.randn([2, 3]), hidet.full([3], 0.5))",
         [](const OpCall& call) {
             const bool is_fmod = call.attributes.get<bool>("fmod");
             return define_binary(call, "mod", [&](const ir::ExprRef& x, const ir::ExprRef& y) {
                 return remainder(x, y, is_fmod ? ir::BinOp::Mod : ir::BinOp::FloorMod);
             });
         }},
        {OpId::Max, "maximum", "xs: tensors", OpClass::Elementwise,
         "the greatest of the tensors' elements, which are broadcast to a common shape; NaN where one is NaN",
         "hidet.ops.maximum(hidet.randn([2, 3]), hidet.randn([3]))",
         [](const OpCall& call) { return define_extreme(call, "maximum", larger_of); }},
        {OpId::Min, "minimum", "xs: tensors", OpClass::Elementwise,
         "the least of the tensors' elements, which are broadcast to a common shape; NaN where one is NaN",
         "hidet.ops.minimum(hidet.randn([2, 3]), hidet.randn([3]))",
         [](const OpCall& call) { return define_extreme(call, "minimum", smaller_of); }},
    };
    return table;
}

} // namespace hidet::graph
