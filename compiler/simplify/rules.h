// SPDX-License-Identifier: Apache-2.0
// Rewrite rules: tables of `pattern -> replacement, if condition`, one per operator. They hold for integers of any
// width, which wrap; a rule that is wrong when something wraps asks the ranges in its condition. A test evaluates both sides
// of every rule on random numbers.
#pragma once

#include <span>

#include "compiler/analysis/ranges.h"
#include "compiler/simplify/pattern.h"

namespace hidet::compiler {

// What a condition may ask.
struct RuleContext {
    const Match& match;
    const Ranges& ranges;
    const ir::ExprRef& whole; // the expression that the pattern matched

    std::int64_t c0() const { return match.value(0); }
    std::int64_t c1() const { return match.value(1); }
    // No arithmetic in the matched expression wraps.
    bool no_wrap() const { return ranges.never_wraps(whole); }
    bool fits(Wide value) const; // in the type of the expression's operands
};

struct Rule {
    const char* text;
    bool (*match)(const ir::Binary& expr, Match& match);
    ir::ExprRef (*replacement)(const Match& match, PatternBuilder& builder);
    ir::ExprRef (*pattern)(const Match& match, PatternBuilder& builder); // the left side, for tests
    bool (*condition)(const RuleContext& context);                       // null: always
};

template <class Left, class Right>
constexpr Rule make_rule(const char* text, Left, Right, bool (*condition)(const RuleContext&) = nullptr) {
    return {text, &Left::match_sides, &Right::build, &Left::build, condition};
}
#define HIDET_RULE(left, right, ...) make_rule(#left " -> " #right, left, right __VA_OPT__(, ) __VA_ARGS__)

// The rules of an operator; constants of commutative operators are on the right when they are tried.
std::span<const Rule> rules_of(ir::BinOp op);

} // namespace hidet::compiler
