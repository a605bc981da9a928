// SPDX-License-Identifier: Apache-2.0
// Every rewrite rule, and the simplifier as a whole, against the values of the expressions.
#include <doctest/doctest.h>
#include <set>
#include <string>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/text/print.h"
#include "compiler/simplify/expr_simplifier.h"
#include "compiler/simplify/rules.h"
#include "tests/unit/passes/support.h"

using namespace hidet;
using namespace hidet::compiler;
using namespace hidet::ir;
using hidet::test::Random;
using hidet::test::Value;

namespace {

const std::vector<DType> dtypes = {DType::I32, DType::I8, DType::U8, DType::I64, DType::U32};

class PlainBuilder : public PatternBuilder {
public:
    ExprRef binary(BinOp op, const ExprRef& a, const ExprRef& b) override { return make_binary(op, a, b); }
};

// Numbers of the type: small ones, powers of two and the ends of the range matter most.
std::int64_t number(Random& random, DType dtype) {
    Range range = type_range(dtype);
    auto lo = static_cast<std::int64_t>(range.lo);
    auto hi = static_cast<std::int64_t>(range.hi);
    std::int64_t value = 0;
    switch (random.in(0, 4)) {
    case 0: value = random.in(-3, 9); break;
    case 1: value = std::int64_t{1} << random.in(0, 12); break;
    case 2: value = random.in(0, 1) ? hi - random.in(0, 2) : lo + random.in(0, 2); break;
    case 3: value = random.in(0, 300); break;
    default: value = random.in(-2000, 2000); break;
    }
    return wrap_to(value, dtype);
}

struct Variables {
    VarVec vars;
    std::vector<Range> bounds;
    Ranges ranges;

    Variables(Random& random, DType dtype) {
        for (const char* name : {"a", "b", "c"}) {
            vars.push_back(make_var(name, data_type(dtype)));
            Range range = type_range(dtype);
            if (random.chance(75)) {
                std::int64_t p = number(random, dtype);
                auto near = static_cast<std::int64_t>(static_cast<std::uint64_t>(p) +
                                                      static_cast<std::uint64_t>(random.in(0, 64)));
                std::int64_t q = random.chance(50) ? near : number(random, dtype);
                range = {std::min(p, q), std::max(p, q)};
                range.hi = std::min(range.hi, type_range(dtype).hi);
                ranges.bind(*vars.back(), range);
            }
            bounds.push_back(range);
        }
    }
    std::vector<Value> sample(Random& random, DType dtype) const {
        std::vector<Value> values;
        for (const Range& range : bounds) {
            std::int64_t value = number(random, dtype);
            if (!range.contains({value, value})) {
                auto width = static_cast<std::int64_t>(std::min<Wide>(range.hi - range.lo, 100));
                value = static_cast<std::int64_t>(range.lo) + random.in(0, width);
            }
            values.push_back({value});
        }
        return values;
    }
};

void same_values(const ExprRef& left, const ExprRef& right, const Variables& variables, DType dtype, Random& random,
                 const char* what) {
    for (int i = 0; i < 12; ++i) {
        std::vector<Value> values = variables.sample(random, dtype);
        std::string expected = test::value_of(left, variables.vars, values);
        if (expected.starts_with("trap"))
            continue;
        std::string actual = test::value_of(right, variables.vars, values);
        if (actual == expected)
            continue;
        std::string text =
            cat(what, " on ", info(dtype).name, ": ", to_string(NodeRef(left)), "  ->  ", to_string(NodeRef(right)));
        for (std::size_t v = 0; v < values.size(); ++v)
            text += cat(", ", variables.vars[v]->name, " = ", test::to_text(values[v]));
        FAIL(text, cat(": ", actual, " instead of ", expected));
    }
}

// How often the rule's condition held.
int check_rule(const Rule& rule, Random& random) {
    int applied = 0;
    for (int round = 0; round < 300; ++round) {
        DType dtype = random.of(dtypes);
        Variables variables(random, dtype);
        Match match;
        ExprRef exprs[3];
        ExprRef constants[3];
        for (int i = 0; i < 3; ++i) {
            exprs[i] = variables.vars[static_cast<std::size_t>(i)];
            constants[i] = int_constant(number(random, dtype), dtype);
            match.exprs[i] = &exprs[i];
            match.constants[i] = &constants[i];
        }
        PlainBuilder builder;
        builder.dtype = dtype;
        ExprRef left = rule.pattern(match, builder);
        const auto* node = as<Binary>(left);
        REQUIRE(node != nullptr);
        Match found;
        if (!rule.match(*node, found))
            continue; // a literal that the type cannot hold
        if (rule.condition && !rule.condition({match, variables.ranges, left}))
            continue;
        ++applied;
        same_values(left, cast_to(rule.replacement(match, builder), left->type), variables, dtype, random, rule.text);
    }
    return applied;
}

constexpr BinOp ruled[] = {BinOp::Add,      BinOp::Sub,    BinOp::Mul, BinOp::Div, BinOp::Mod, BinOp::FloorDiv,
                           BinOp::FloorMod, BinOp::Lt,     BinOp::Le,  BinOp::Eq,  BinOp::Ne,  BinOp::BitAnd,
                           BinOp::BitOr,    BinOp::BitXor, BinOp::Shl, BinOp::Shr};

ExprRef random_expr(Random& random, const Variables& variables, DType dtype, int depth) {
    if (depth == 0 || random.chance(15)) {
        if (random.chance(60))
            return random.of(variables.vars);
        return int_constant(number(random, dtype), dtype);
    }
    auto operand = [&] { return random_expr(random, variables, dtype, depth - 1); };
    auto positive = [&] { return int_constant(random.in(1, 64), dtype); };
    switch (random.in(0, 11)) {
    case 0:
    case 1: return make_binary(BinOp::Add, operand(), operand());
    case 2: return make_binary(BinOp::Sub, operand(), operand());
    case 3: return make_binary(BinOp::Mul, operand(), positive());
    case 4: return make_binary(BinOp::Div, operand(), positive());
    case 5: return make_binary(BinOp::Mod, operand(), positive());
    case 6: return make_binary(BinOp::FloorDiv, operand(), positive());
    case 7: return make_binary(BinOp::FloorMod, operand(), positive());
    case 8: return make_binary(random.chance(50) ? BinOp::BitAnd : BinOp::BitXor, operand(), operand());
    case 9: {
        BinOp op = random.of(std::vector<BinOp>{BinOp::Lt, BinOp::Le, BinOp::Eq, BinOp::Ne});
        return make_select(make_binary(op, operand(), operand()), operand(), operand());
    }
    case 10:
        return make_intrinsic(random.chance(50) ? IntrinsicId::Min : IntrinsicId::Max, {operand(), operand()},
                              data_type(dtype));
    default: {
        DType other = random.of(dtypes);
        return make_cast(make_cast(operand(), data_type(other)), data_type(dtype));
    }
    }
}

std::string simplified_text(const ExprRef& expr, const Ranges& ranges) {
    return to_string(NodeRef(simplified(expr, ranges)));
}

} // namespace

TEST_CASE("both sides of every rule have the same value") {
    Random random(1);
    for (BinOp op : ruled)
        for (const Rule& rule : rules_of(op))
            if (check_rule(rule, random) == 0)
                FAIL(cat("never applied: ", rule.text));
}

TEST_CASE("rules have texts of their own") {
    std::set<std::string> texts;
    for (BinOp op : ruled)
        for (const Rule& rule : rules_of(op))
            REQUIRE(texts.insert(rule.text).second);
}

TEST_CASE("a simplified random expression has the same value") {
    Random random(2);
    for (int round = 0; round < 6000; ++round) {
        DType dtype = random.of(dtypes);
        Variables variables(random, dtype);
        ExprRef expr = random_expr(random, variables, dtype, static_cast<int>(random.in(1, 5)));
        same_values(expr, simplified(expr, variables.ranges), variables, dtype, random, "simplify");
    }
}

TEST_CASE("a value lies in its range") {
    Random random(3);
    for (int round = 0; round < 4000; ++round) {
        DType dtype = random.of(dtypes);
        Variables variables(random, dtype);
        ExprRef expr = random_expr(random, variables, dtype, static_cast<int>(random.in(1, 4)));
        auto range = variables.ranges.of(expr);
        REQUIRE(range.has_value());
        for (int i = 0; i < 8; ++i) {
            std::vector<Value> values = variables.sample(random, dtype);
            std::string text = test::value_of(expr, variables.vars, values);
            if (text.starts_with("trap"))
                continue;
            Wide value = std::stoll(text);
            if (value < range->lo || range->hi < value)
                FAIL(cat(to_string(NodeRef(expr)), " is ", text));
        }
    }
}

TEST_CASE("index arithmetic of mappings and layouts becomes short") {
    VarRef i = make_var("i", data_type(DType::I32));
    VarRef t = make_var("t", data_type(DType::I32));
    Ranges ranges;
    ranges.bind(*i, {0, 7});
    ranges.bind(*t, {0, 31});
    auto c = [](std::int64_t value) { return int_constant(value); };
    ExprRef sum = add(mul(i, c(32)), t);
    REQUIRE(simplified_text(floor_div(sum, c(32)), ranges) == "i");
    REQUIRE(simplified_text(floor_mod(sum, c(32)), ranges) == "t");
    REQUIRE(simplified_text(floor_div(sum, c(64)), ranges) == "i / 2");
    REQUIRE(simplified_text(floor_mod(sum, c(64)), ranges) == "i rem 2 * 32 + t");
    REQUIRE(simplified_text(floor_div(add(sum, c(64)), c(32)), ranges) == "i + 2");
    REQUIRE(simplified_text(floor_div(floor_div(t, c(4)), c(2)), ranges) == "t / 8");
    REQUIRE(simplified_text(add(mul(floor_div(t, c(4)), c(4)), floor_mod(t, c(4))), ranges) == "t");
    REQUIRE(simplified_text(less(t, c(32)), ranges) == "True");
    REQUIRE(simplified_text(less(add(t, c(1)), c(32)), ranges) == "t < 31");
    REQUIRE(simplified_text(less_equal(c(0), i), ranges) == "True");
    REQUIRE(simplified_text(add(add(i, c(3)), add(t, c(4))), ranges) == "i + t + 7");
}

TEST_CASE("what could wrap is left alone") {
    VarRef n = make_var("n", data_type(DType::I32));
    Ranges ranges;
    auto c = [](std::int64_t value) { return int_constant(value); };
    REQUIRE(simplified_text(floor_div(mul(n, c(4)), c(4)), ranges) == "n * 4 // 4");
    REQUIRE(simplified_text(less(add(n, c(1)), c(5)), ranges) == "n + 1 < 5");
    REQUIRE(simplified_text(floor_mod(n, c(8)), ranges) == "n % 8");
}
