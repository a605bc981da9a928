// SPDX-License-Identifier: Apache-2.0
// On a GPU, what unrolled loops do not change of an index gets a name before them. The index of a tensor of several dimensions is a sum
// of products of sums, `(row + x * 16) * 256 + (column + y * 8)`, in which the share of the loops is mixed with the rest.
// Multiplied out and ordered by loops it is `base + x * 4096 + y * 8`. A compiler gets there by itself, but for every copy of
// an unrolled body anew: of a large kernel that took most of the time.
//
// It is done only if the innermost loop that an index depends on is to be unrolled, a product mixes what that loop changes with
// what it does not, and two terms or more get the name; nested loops to unroll count as one. Every other index stays as the
// script has it, also because a name that lives through a long loop takes a register. Immutable variables that the loops set
// to a sum of names are seen through.
//
// Needs: one index per element (flatten-tensor-index).
// Guarantees: arithmetic that did not wrap does not wrap on the way either; loads, and what may fail, stay where they are.
// Why here: after the arithmetic of layouts is simplified; licm-cse makes equal names one, dead-code drops what is seen
// through.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "compiler/analysis/kinds.h"
#include "compiler/analysis/range_rewriter.h"
#include "compiler/analysis/same.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/fold.h"
#include "compiler/ir/ops.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

struct Term { // value * factor; without a value the constant itself
    ExprRef value;
    std::int64_t factor = 1;
    int depth = 0; // of the innermost loop it depends on, 0 for none
};
using Terms = std::vector<Term>;

constexpr std::size_t max_terms = 32; // enough for any layout; an index beyond it is left alone

// The innermost loop that a value depends on, by the loops around the definitions of its variables.
class Depths {
public:
    explicit Depths(const Uses& uses) : m_uses(uses) {}
    void define(const Var& var, int depth) { m_depths[&var] = depth; }
    int of(const Var& var) const {
        auto found = m_depths.find(&var);
        return found == m_depths.end() ? 0 : found->second;
    }
    // `here` for what has to stay where it is.
    int of(const ExprRef& expr, int here) const {
        if (effect_of(expr, m_uses) != Effect::None || may_fail(expr))
            return here;
        int depth = 0;
        each_node(expr, [&](const Var& var) { depth = std::max(depth, of(var)); });
        return depth;
    }

private:
    const Uses& m_uses;
    std::unordered_map<const Var*, int> m_depths;
};

// Sums of one type of integer; factors wrap as the type does.
class Sums {
public:
    explicit Sums(DType dtype) : m_dtype(dtype) {}

    std::int64_t product(std::int64_t a, std::int64_t b) const { return folded(BinOp::Mul, a, b); }
    std::int64_t sum(std::int64_t a, std::int64_t b) const { return folded(BinOp::Add, a, b); }

    // `sum` may be null, which is 0.
    ExprRef appended(const ExprRef& sum, const Term& term) const {
        if (!sum)
            return scaled(term.value, term.factor);
        bool is_negative = term.factor < 0 && product(term.factor, -1) > 0;
        std::int64_t factor = is_negative ? product(term.factor, -1) : term.factor;
        return make_binary(is_negative ? BinOp::Sub : BinOp::Add, sum, scaled(term.value, factor));
    }
    // Terms of one factor become one product: `(row + i) * 256 + column`.
    ExprRef grouped(const Terms& terms) const {
        Terms groups;
        for (const Term& term : terms) {
            auto group = std::find_if(groups.begin(), groups.end(),
                                      [&](const Term& known) { return known.factor == term.factor; });
            if (term.factor == 1 || group == groups.end())
                groups.push_back(term);
            else
                group->value = make_binary(BinOp::Add, group->value, term.value);
        }
        ExprRef sum;
        for (const Term& group : groups)
            sum = appended(sum, group);
        return sum;
    }

private:
    std::int64_t folded(BinOp op, std::int64_t a, std::int64_t b) const {
        return *constant_int(fold_binary(op, m_dtype, int_constant(a, m_dtype), int_constant(b, m_dtype)));
    }
    ExprRef scaled(const ExprRef& value, std::int64_t factor) const {
        if (!value)
            return int_constant(factor, m_dtype);
        return factor == 1 ? value : make_binary(BinOp::Mul, value, int_constant(factor, m_dtype));
    }

    DType m_dtype;
};

bool is_leaf(const ExprRef& expr) {
    return expr->kind == Kind::Var || expr->kind == Kind::BuiltinVar || expr->kind == Kind::SymbolVar;
}

class SumGrouper : public RangeRewriter {
public:
    SumGrouper(PassId pass, const Uses& uses, const LaunchBounds* bounds)
        : RangeRewriter(pass, uses, bounds), m_depths(uses) {}

protected:
    using RangeRewriter::visit;

    StmtRef visit(const DeclareStmt& stmt) override {
        StmtRef rebuilt = RangeRewriter::visit(stmt);
        const auto* declare = as<DeclareStmt>(rebuilt);
        m_depths.define(*declare->var, depth());
        if (declare->is_let && depth() > 0 && uses.is_immutable(*declare->var))
            m_lets[declare->var.get()] = declare->init;
        return rebuilt;
    }
    StmtRef visit(const ForStmt& stmt) override {
        ExprRef extent = rewrite(stmt.extent);
        return in_loop(stmt.attr.what == LoopAttr::What::Unroll, [&] {
            m_depths.define(*stmt.var, depth());
            StmtRef body = scoped([&] {
                learn_loop(*stmt.var, extent);
                return rewrite(stmt.body);
            });
            bool same = extent == stmt.extent && body == stmt.body;
            return same ? self(stmt) : make_for(stmt.var, extent, stmt.attr, std::move(body));
        });
    }
    StmtRef visit(const WhileStmt& stmt) override {
        return in_loop(false, [&] { return RangeRewriter::visit(stmt); });
    }
    ExprRef visit(const TensorElement& expr) override {
        auto rebuilt = rebuild(expr);
        ExprRef index = regrouped(rebuilt->indices);
        return index ? make_element(rebuilt->base, {index}, rebuilt->is_protected) : rebuilt;
    }
    StmtRef visit(const StoreStmt& stmt) override {
        auto rebuilt = rebuild(stmt);
        ExprRef index = regrouped(rebuilt->indices);
        return index ? make_store(rebuilt->base, {index}, rebuilt->value) : rebuilt;
    }

private:
    struct Loop {
        bool is_unrolled;
        Ranges outside; // what is known just before the loop
        StmtVec before; // lets that go there
    };
    int depth() const { return static_cast<int>(m_loops.size()); }
    const Loop& loop_at(int depth) const { return m_loops[static_cast<std::size_t>(depth) - 1]; }

    template <class F>
    StmtRef in_loop(bool is_unrolled, F&& f) {
        m_loops.push_back({is_unrolled, ranges, {}});
        StmtRef loop = f();
        StmtVec stmts = std::move(m_loops.back().before);
        m_loops.pop_back();
        if (stmts.empty())
            return loop;
        stmts.push_back(std::move(loop));
        return make_seq(std::move(stmts));
    }

    // The new index; null when there is nothing to gain.
    ExprRef regrouped(const ExprVec& indices) {
        if (m_loops.empty() || indices.size() != 1 || !is_sum(indices[0]))
            return nullptr;
        Sums sums(*scalar_of(indices[0]->type));
        Terms terms = terms_of(indices[0], 1, sums);
        int first = first_varying(terms);
        if (first == 0 || !loop_at(first).is_unrolled || !share_of(indices[0], first).is_mixed)
            return nullptr;
        terms = terms_of(indices[0], first, sums); // variables of the loops around it are names to keep
        if (terms.size() > max_terms)
            return nullptr;
        auto part = std::stable_partition(terms.begin(), terms.end(),
                                          [&](const Term& term) { return term.value && term.depth < first; });
        Loop& loop = m_loops[static_cast<std::size_t>(first) - 1];
        return split(indices[0], Terms(terms.begin(), part), Terms(part, terms.end()), sums, loop);
    }
    bool is_sum(const ExprRef& index) const {
        if (index->kind != Kind::Binary || index->type->kind != Kind::DataType)
            return false;
        auto dtype = scalar_of(index->type);
        return (dtype == DType::I32 || dtype == DType::I64) && effect_of(index, uses) != Effect::Acts &&
               !kinds_in(*index).has(Kind::Let);
    }
    // `fixed` gets a name before the loop, `varying` is added to it.
    ExprRef split(const ExprRef& index, Terms fixed, Terms varying, const Sums& sums, Loop& loop) {
        if (fixed.size() < 2)
            return nullptr;
        by_depth(fixed);
        by_depth(varying);
        Term constant{nullptr, 0};
        for (const Term& term : varying)
            if (!term.value)
                constant.factor = sums.sum(constant.factor, term.factor);
        auto with_rest = [&](ExprRef sum) {
            for (const Term& term : varying)
                if (term.value)
                    sum = sums.appended(sum, term);
            return constant.factor == 0 ? sum : sums.appended(sum, constant);
        };
        ExprRef part = sums.grouped(fixed);
        if (!ranges.never_wraps(with_rest(part)) || !loop.outside.never_wraps(part))
            return nullptr;
        return with_rest(named(part, {index->origin.span, pass()}, loop));
    }
    static void by_depth(Terms& terms) {
        std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.depth < b.depth; });
    }
    static VarRef named(const ExprRef& part, const Origin& origin, Loop& loop) {
        for (const StmtRef& stmt : loop.before)
            if (const auto* let = as<DeclareStmt>(stmt); same_expr(let->init, part))
                return let->var;
        VarRef var = make_var("base", part->type);
        loop.before.push_back(make_let_stmt(var, part));
        set_origin(loop.before.back(), origin);
        return var;
    }

    // Whether a part of an index depends on the loops from `first` on, and whether a product is over both.
    struct Share {
        bool is_fixed = false;
        bool is_varying = false;
        bool is_mixed = false;
    };
    Share share_of(const ExprRef& expr, int first) const {
        const auto* binary = as<Binary>(expr);
        bool is_product = binary && binary->op == BinOp::Mul && constant_int(binary->b);
        if (!is_product && !(binary && (binary->op == BinOp::Add || binary->op == BinOp::Sub))) {
            bool is_varying = m_depths.of(expr, depth()) >= first;
            return {expr->kind != Kind::Constant && !is_varying, is_varying};
        }
        Share share = share_of(binary->a, first);
        Share other = is_product ? Share() : share_of(binary->b, first);
        share.is_fixed |= other.is_fixed;
        share.is_varying |= other.is_varying;
        share.is_mixed |= other.is_mixed || (is_product && share.is_fixed && share.is_varying);
        return share;
    }

    // The innermost loop that the terms depend on; loops that are unrolled count as one with the unrolled loop around them.
    int first_varying(const Terms& terms) const {
        int first = 0;
        for (const Term& term : terms)
            first = std::max(first, term.depth);
        while (first > 1 && loop_at(first).is_unrolled && loop_at(first - 1).is_unrolled)
            --first;
        return first;
    }

    // The terms of a sum. Lets inside of that many loops are seen through.
    Terms terms_of(const ExprRef& index, int inside, const Sums& sums) const {
        Terms terms;
        collect(index, 1, inside, sums, terms);
        return terms;
    }
    void collect(const ExprRef& expr, std::int64_t factor, int inside, const Sums& sums, Terms& terms) const {
        if (terms.size() > max_terms || factor == 0)
            return;
        auto more = [&](const ExprRef& part, std::int64_t by) {
            collect(part, sums.product(factor, by), inside, sums, terms);
        };
        if (auto constant = constant_int(expr))
            return terms.push_back({nullptr, sums.product(factor, *constant)});
        if (const auto* negative = as<Unary>(expr); negative && negative->op == UnOp::Neg)
            return more(negative->a, -1);
        if (const auto* binary = as<Binary>(expr)) {
            if (binary->op == BinOp::Add || binary->op == BinOp::Sub) {
                more(binary->a, 1);
                return more(binary->b, binary->op == BinOp::Add ? 1 : -1);
            }
            if (auto by = constant_int(binary->b); by && binary->op == BinOp::Mul)
                return more(binary->a, *by);
        }
        if (const ExprRef* value = seen_through(expr, inside))
            return more(*value, 1);
        terms.push_back({expr, factor, m_depths.of(expr, depth())});
    }
    // The value of a variable that loops set to a sum of names, of which they do not change all.
    const ExprRef* seen_through(const ExprRef& expr, int inside) const {
        const auto* var = as<Var>(expr);
        auto let = var ? m_lets.find(var) : m_lets.end();
        if (let == m_lets.end() || m_depths.of(*var) < inside || !same_type(var->type, let->second->type))
            return nullptr;
        bool has_fixed_part = false;
        bool is_plain = is_plain_sum(let->second, m_depths.of(*var), has_fixed_part);
        return is_plain && has_fixed_part ? &let->second : nullptr;
    }
    bool is_plain_sum(const ExprRef& expr, int depth, bool& has_fixed_part) const {
        if (constant_int(expr))
            return true;
        if (is_leaf(expr)) {
            has_fixed_part = has_fixed_part || m_depths.of(expr, depth) < depth;
            return effect_of(expr, uses) == Effect::None;
        }
        const auto* binary = as<Binary>(expr);
        if (!binary)
            return false;
        bool is_product = binary->op == BinOp::Mul && constant_int(binary->b);
        return (is_product || binary->op == BinOp::Add || binary->op == BinOp::Sub) &&
               is_plain_sum(binary->a, depth, has_fixed_part) && is_plain_sum(binary->b, depth, has_fixed_part);
    }

    Depths m_depths;
    std::vector<Loop> m_loops; // around the place it is at
    std::unordered_map<const Var*, ExprRef> m_lets;
};

} // namespace

ModuleRef reassociate(const ModuleRef& module, PassContext& context) {
    auto bounds = launch_bounds(*module);
    return map_functions(module, [&](const FunctionRef& function) {
        KindSet kinds = runs_on_gpu(function->func_kind) && function->body ? kinds_in(*function->body) : KindSet();
        if (!kinds.has(Kind::ForStmt) && !kinds.has(Kind::WhileStmt))
            return function;
        Uses uses = uses_in(*function, module.get());
        SumGrouper grouper(context.pass, uses, find_bounds(bounds, *function));
        return with_body(function, grouper.rewrite(function->body));
    });
}

} // namespace hidet::compiler
