// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/guards.h"

#include "compiler/analysis/kinds.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/schedule/access.h"

namespace hidet::graph {

using namespace ir;

namespace {

class PartReplacer : public Rewriter {
public:
    PartReplacer(const Var& lane, const ExprVec& parts) : m_lane(lane), m_parts(parts) {}

protected:
    using Rewriter::visit;
    ExprRef visit(const Select& expr) override {
        return depends_on(expr.condition, m_lane) ? m_parts[m_next++] : rebuild(expr);
    }
    ExprRef visit(const Let& expr) override { return self(expr); }

private:
    const Var& m_lane;
    const ExprVec& m_parts;
    std::size_t m_next = 0;
};

} // namespace

ExprVec guarded_parts(const ExprRef& value, const VarRef& lane) {
    ExprVec parts;
    each_node(
        value,
        [&](const Select& expr) {
            const bool is_part = depends_on(expr.condition, *lane);
            if (is_part)
                parts.push_back(self(expr));
            return !is_part;
        },
        [](const Let&) { return false; }); // what is named inside means nothing outside
    return parts;
}

SplitCondition split_condition(const ExprRef& condition, const Var& lane) {
    const auto* both = as<Binary>(condition);
    if (both && both->op == BinOp::And) {
        const SplitCondition a = split_condition(both->a, lane);
        const SplitCondition b = split_condition(both->b, lane);
        const auto joined = [](const ExprRef& x, const ExprRef& y) { return x && y ? logical_and(x, y) : x ? x : y; };
        return {joined(a.common, b.common), joined(a.by_lane, b.by_lane)};
    }
    // What reads memory stays behind the conditions before it.
    const bool is_common = !depends_on(condition, lane) && !compiler::kinds_in(*condition).has(Kind::TensorElement);
    return is_common ? SplitCondition{condition, nullptr} : SplitCondition{nullptr, condition};
}

ExprRef with_parts(const ExprRef& value, const VarRef& lane, const ExprVec& parts) {
    return PartReplacer(*lane, parts).rewrite(value);
}

} // namespace hidet::graph
