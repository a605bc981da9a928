// SPDX-License-Identifier: Apache-2.0
// Promotion, folding against direct evaluation, identities, pointers, conversions, and what is refused.
#include "compiler/ir/ops.h"

#include <bit>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/print.h"
#include "lang/base/numeric.h"
#include "lang/base/scalar.h"

using namespace hidet;
using namespace hidet::ir;

namespace {

std::uint64_t random_state = 11;
std::uint64_t random_bits() {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state ^ (random_state >> 29);
}

template <class T>
T interesting() {
    switch (random_bits() % 6) {
    case 0: return std::numeric_limits<T>::min();
    case 1: return std::numeric_limits<T>::max();
    case 2: return static_cast<T>(random_bits() % 5);
    case 3: return static_cast<T>(0 - random_bits() % 5);
    default: return static_cast<T>(random_bits());
    }
}

template <class T>
void check_integers(DType dtype) {
    for (int round = 0; round < 3000; ++round) {
        T a = interesting<T>(), b = interesting<T>();
        auto x = int_constant(static_cast<std::int64_t>(a), dtype),
             y = int_constant(static_cast<std::int64_t>(b), dtype);
        auto wide = [](T value) { return static_cast<std::uint64_t>(value); };
        auto is = [&](const ExprRef& folded, std::uint64_t expected) {
            REQUIRE(scalar_of(folded->type) == dtype);
            REQUIRE(constant_int(folded).value_or(-12345) == static_cast<std::int64_t>(static_cast<T>(expected)));
        };
        is(add(x, y), wide(a) + wide(b));
        is(sub(x, y), wide(a) - wide(b));
        is(mul(x, y), wide(a) * wide(b));
        is(bit_and(x, y), wide(a) & wide(b));
        is(bit_or(x, y), wide(a) | wide(b));
        is(bit_xor(x, y), wide(a) ^ wide(b));
        is(negate(x), 0 - wide(a));
        is(bit_not(x), ~wide(a));
        REQUIRE(*constant_int(less(x, y)) == (a < b));
        REQUIRE(*constant_int(less_equal(x, y)) == (a <= b));
        REQUIRE(*constant_int(equal(x, y)) == (a == b));
        int count = static_cast<int>(random_bits() % (sizeof(T) * 8));
        is(shift_left(x, int_constant(count)), wide(a) << count);
        is(shift_right(x, int_constant(count)), static_cast<std::uint64_t>(static_cast<T>(a >> count)));
        if (b == 0 || (std::is_signed_v<T> && b == T(-1)))
            continue;
        is(div(x, y), wide(static_cast<T>(a / b)));
        is(truncating_mod(x, y), wide(static_cast<T>(a % b)));
        T rest = static_cast<T>(a % b);
        bool is_one_lower = rest != 0 && (rest < 0) != (b < 0);
        is(floor_div(x, y), wide(static_cast<T>(a / b)) - is_one_lower);
        is(floor_mod(x, y), wide(rest) + (is_one_lower ? wide(b) : 0));
    }
}

float random_float() {
    switch (random_bits() % 4) {
    case 0: return static_cast<float>(static_cast<int>(random_bits() % 2000) - 1000) / 16;
    case 1: return std::numeric_limits<float>::infinity();
    default: return std::bit_cast<float>(static_cast<std::uint32_t>(random_bits()));
    }
}

void same_bits(const ExprRef& folded, double expected) {
    REQUIRE(folded->kind == Kind::Constant);
    double value = *constant_number(folded);
    bool is_same = std::isnan(expected) ? std::isnan(value)
                                        : std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(expected);
    if (!is_same)
        FAIL(value, " instead of ", expected);
}

std::string type_error(auto&& make) {
    try {
        make();
    } catch (const TypeError& error) {
        return error.what();
    }
    return "no error";
}

ExprRef var(const char* name, DType dtype) {
    return make_var(name, data_type(dtype));
}

} // namespace

TEST_CASE("integer constants fold as two's complement of their width") {
    check_integers<std::int8_t>(DType::I8);
    check_integers<std::int16_t>(DType::I16);
    check_integers<std::int32_t>(DType::I32);
    check_integers<std::int64_t>(DType::I64);
    check_integers<std::uint8_t>(DType::U8);
    check_integers<std::uint16_t>(DType::U16);
    check_integers<std::uint32_t>(DType::U32);
    check_integers<std::uint64_t>(DType::U64);
}

TEST_CASE("f32 constants fold in float arithmetic, bit for bit") {
    for (int round = 0; round < 20000; ++round) {
        float a = random_float(), b = random_float();
        ExprRef x = float_constant(a), y = float_constant(b);
        same_bits(add(x, y), a + b);
        same_bits(sub(x, y), a - b);
        same_bits(mul(x, y), a * b);
        REQUIRE(*constant_int(less(x, y)) == (a < b));
        REQUIRE(*constant_int(not_equal(x, y)) == (a != b));
        if (b == 0)
            continue;
        same_bits(div(x, y), a / b);
        same_bits(floor_mod(x, y), scalar::FloorModOp::apply(a, b));
    }
}

TEST_CASE("short floats round after each operation") {
    for (DType dtype : {DType::F16, DType::BF16, DType::TF32, DType::F8E4M3, DType::F8E5M2})
        for (int round = 0; round < 4000; ++round) {
            double a = round_to(random_float(), dtype), b = round_to(random_float(), dtype);
            ExprRef x = float_constant(a, dtype), y = float_constant(b, dtype);
            same_bits(add(x, y), round_to(static_cast<float>(a) + static_cast<float>(b), dtype));
            same_bits(mul(x, y), round_to(static_cast<float>(a) * static_cast<float>(b), dtype));
        }
}

TEST_CASE("nothing is folded that traps or is undefined") {
    ExprRef one = int_constant(1), zero = int_constant(0);
    for (auto op : {div, floor_div, floor_mod, truncating_mod}) {
        REQUIRE(op(one, zero)->kind == Kind::Binary);
        REQUIRE(op(float_constant(1), float_constant(0))->kind == Kind::Binary);
    }
    REQUIRE(shift_left(one, int_constant(32))->kind == Kind::Binary);
    REQUIRE(shift_right(one, int_constant(-1))->kind == Kind::Binary);
    REQUIRE(is_constant(div(int_constant(std::numeric_limits<std::int32_t>::min()), int_constant(-1)),
                        std::numeric_limits<std::int32_t>::min()));
}

TEST_CASE("casts of constants truncate, saturate, wrap and round") {
    REQUIRE(is_constant(cast_to(float_constant(-3.9), DType::I32), -3));
    REQUIRE(is_constant(cast_to(float_constant(300), DType::I8), 44)); // what an i32 leaves in it
    REQUIRE(is_constant(cast_to(float_constant(-1), DType::U8), 255));
    REQUIRE(is_constant(cast_to(float_constant(std::nan("")), DType::I32), 0));
    REQUIRE(is_constant(cast_to(float_constant(0.5), DType::Bool), 1));
    REQUIRE(is_constant(cast_to(int_constant(300), DType::I8), 44));
    REQUIRE(is_constant(cast_to(int_constant(-1), DType::U32), 4294967295));
    REQUIRE(is_constant(cast_to(int_constant(16, DType::I32), DType::I4), 0));
    same_bits(cast_to(int_constant(16777217), DType::F32), 16777216.0);
    same_bits(cast_to(int_constant(-1, DType::U64), DType::F64), 18446744073709551615.0);
    same_bits(cast_to(float_constant(0.1), DType::F16), static_cast<double>(f16_to_f32(f32_to_f16(0.1f))));
    ExprRef x = var("x", DType::F32);
    REQUIRE(cast_to(x, DType::F32) == x);
}

TEST_CASE("operands are promoted and cast") {
    ExprRef h = var("h", DType::F16), u = var("u", DType::U8), i = var("i", DType::I32), b = var("b", DType::Bool);
    REQUIRE(to_string(add(h, int_constant(1))) == "h + f16(1.0)");
    REQUIRE(to_string(add(h, float_constant(1))) == "cast(h, f32) + 1.0");
    REQUIRE(to_string(add(u, int_constant(1))) == "cast(u, i64) + i64(1)");
    REQUIRE(to_string(mul(i, u)) == "i * cast(u, i32)");
    REQUIRE(to_string(bit_and(b, i)) == "cast(b, i32) & i");
    REQUIRE(to_string(less(i, float_constant(2))) == "cast(i, f32) < 2.0");
    REQUIRE(to_string(shift_left(u, i)) == "u << i");
    REQUIRE(to_string(negate(b)) == "-cast(b, i32)");
    REQUIRE(to_string(select(b, i, h)) == "(cast(i, f16) if b else h)");
    REQUIRE(to_string(math(IntrinsicId::Max, {i, h})) == "math.max(cast(i, f16), h)");
}

TEST_CASE("identities hold for every value") {
    ExprRef i = var("i", DType::I32), x = var("x", DType::F32), b = var("b", DType::Bool);
    ExprRef zero = int_constant(0), one = int_constant(1);
    REQUIRE((add(i, zero) == i && add(zero, i) == i && sub(i, zero) == i && mul(i, one) == i && mul(one, i) == i));
    REQUIRE((floor_div(i, one) == i && div(i, one) == i && bit_or(i, zero) == i && shift_left(i, zero) == i));
    REQUIRE((is_constant(mul(i, zero), 0) && is_constant(floor_mod(i, one), 0) && is_constant(bit_and(zero, i), 0)));
    REQUIRE((sub(x, float_constant(0)) == x && mul(x, float_constant(1)) == x && add(x, float_constant(-0.0)) == x));
    REQUIRE(add(x, float_constant(0))->kind == Kind::Binary); // -0.0 + 0.0 is 0.0
    REQUIRE(mul(x, float_constant(0))->kind == Kind::Binary); // NaN, infinities
    REQUIRE((logical_and(b, bool_constant(true)) == b && logical_or(bool_constant(false), b) == b));
    REQUIRE((is_constant(logical_and(b, bool_constant(false)), 0) && logical_not(logical_not(b)) == b));
}

TEST_CASE("what has an effect is not dropped") {
    ExprRef call = make_call("f", {}, data_type(DType::I32));
    REQUIRE(mul(call, int_constant(0))->kind == Kind::Binary);
    REQUIRE(floor_mod(call, int_constant(1))->kind == Kind::Binary);
    ExprRef test = make_call("g", {}, data_type(DType::Bool));
    REQUIRE(logical_and(test, bool_constant(false))->kind == Kind::Binary);
    REQUIRE(is_constant(logical_and(bool_constant(false), test), 0)); // not evaluated at all
}

TEST_CASE("pointers move by elements and compare with their like") {
    ExprRef p = make_var("p", pointer_type(data_type(DType::F32))), i = var("i", DType::I64);
    ExprRef q = make_var("q", pointer_type(data_type(DType::F16)));
    REQUIRE(to_string(add(i, p)) == "p + i");
    REQUIRE(to_string(sub(p, int_constant(2))) == "p - 2");
    REQUIRE(scalar_of(sub(p, p)->type) == DType::I32);
    REQUIRE(to_string(equal(p, int_constant(0))) == "p == cast(0, ~f32)");
    REQUIRE(type_error([&] { mul(p, i); }) == "'*' is not defined for pointer '~f32' and 'i64'");
    REQUIRE(type_error([&] { add(p, float_constant(1)); }) == "'+' is not defined for pointer '~f32' and 'f32'");
    REQUIRE(type_error([&] { sub(p, q); }) == "'-' is not defined for pointer '~f32' and pointer '~f16'");
    REQUIRE(type_error([&] { less(p, int_constant(7)); }) == "'<' is not defined for pointer '~f32' and 'i32'");
    ExprRef tile = make_var("tile", tensor_type(data_type(DType::F32), {int_constant(4), int_constant(8)}));
    REQUIRE(to_string(add(tile, i)) == "cast(tile, ~f32) + i");
}

TEST_CASE("type errors name both types") {
    ExprRef s = string_constant("a"), i = var("i", DType::I32), h = var("h", DType::F16), e = var("e", DType::F8E4M3);
    REQUIRE(type_error([&] { add(i, s); }) == "'+' is not defined for 'i32' and 'str'");
    REQUIRE(type_error([&] { mul(h, e); }) == "'*' is not defined for 'f16' and 'f8e4m3'");
    REQUIRE(type_error([&] { bit_and(i, h); }) == "'&' is not defined for 'i32' and 'f16'");
    REQUIRE(type_error([&] { shift_left(h, i); }) == "'<<' is not defined for 'f16' and 'i32'");
    REQUIRE(type_error([&] { bit_not(h); }) == "'bitwise_not' is not defined for 'f16'");
    REQUIRE(type_error([&] { math(IntrinsicId::Exp, {i}); }) == "'exp' is not defined for 'i32'");
    REQUIRE(type_error([&] { math(IntrinsicId::Max, {h, e}); }) == "'max' is not defined for 'f16' and 'f8e4m3'");
    REQUIRE(type_error([&] { add(var("a", DType::I4), i); }) == "'+' is not defined for 'i4' and 'i32'");
    REQUIRE(type_error([&] { as_condition(s); }) == "a 'str' is not a condition");
    ExprRef tile = make_var(
        "tile", tensor_type(data_type(DType::F32), {int_constant(4), make_symbol("n", data_type(DType::I32))}));
    REQUIRE(type_error([&] { convert(tile, data_type(DType::F32)); }) == "cannot convert tensor 'f32[4, n]' to 'f32'");
}

TEST_CASE("values convert where C would convert them, pointers only to their like") {
    ExprRef i = var("i", DType::I32);
    ExprRef p = make_var("p", pointer_type(data_type(DType::F32)));
    REQUIRE(to_string(convert(i, data_type(DType::F16))) == "cast(i, f16)");
    REQUIRE(to_string(convert(p, pointer_type(void_type()))) == "cast(p, ~void)");
    REQUIRE(type_error([&] { convert(p, pointer_type(data_type(DType::I32))); }) ==
            "cannot convert pointer '~f32' to '~i32'");
    REQUIRE(type_error([&] { convert(i, p->type); }) == "cannot convert 'i32' to '~f32'");
    ExprRef tile = make_var("tile", tensor_type(data_type(DType::F32), {int_constant(4)}));
    REQUIRE(to_string(convert(tile, tensor_pointer_type(tensor_type(data_type(DType::F32), {i})))) ==
            "cast(tile, ~f32)");
    REQUIRE(convert(p, tensor_pointer_type(tensor_type(data_type(DType::F32), {i}))) == p);
    ExprRef u = make_var("u", reference_type(data_type(DType::U32)));
    REQUIRE(to_string(add(u, u)) == "u + u");
    REQUIRE((scalar_of(add(u, u)->type) == DType::U32 && add(u, u)->type->kind == Kind::DataType));
}

TEST_CASE("small integer powers are products") {
    ExprRef i = var("i", DType::I32);
    REQUIRE(to_string(math(IntrinsicId::Pow, {i, int_constant(3)})) == "i * i * i");
    REQUIRE(to_string(math(IntrinsicId::Pow, {add(i, int_constant(1)), int_constant(2)})) ==
            "(let base: i32 = i + 1 in base * base)");
    REQUIRE(type_error([&] { math(IntrinsicId::Pow, {i, i}); }) == "'pow' is not defined for 'i32'");
    REQUIRE(to_string(math(IntrinsicId::Pow, {var("x", DType::F32), int_constant(2)})) == "math.pow(x, 2.0)");
}

TEST_CASE("linear indices come and go") {
    ExprVec shape = {int_constant(3), int_constant(5), int_constant(7)};
    for (int linear = 0; linear < 105; ++linear)
        REQUIRE(is_constant(flatten(unflatten(int_constant(linear), shape), shape), linear));
    REQUIRE(to_string(flatten({var("i", DType::I32), var("j", DType::I32)}, {int_constant(4), int_constant(8)})) ==
            "i * 8 + j");
}
