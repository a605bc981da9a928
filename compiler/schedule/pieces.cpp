// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/pieces.h"

#include <optional>
#include <set>

#include "compiler/ir/each_node.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/schedule/access.h"
#include "compiler/schedule/kernel.h"

namespace hidet::graph {

using namespace ir;

namespace {

constexpr std::int64_t least_piece = 8; // elements of a piece on average: a vector
constexpr std::size_t most_cuts = 63;   // copies of the body

// A comparison with a constant: whether it is true below `cut`, or from there on.
struct CutSide {
    std::int64_t cut = 0;
    bool is_below = false;
};

// What no sum of a few overflows with.
std::optional<std::int64_t> index_constant(const ExprRef& expr) {
    constexpr std::int64_t most = std::int64_t{1} << 48;
    const auto constant = constant_int(expr);
    return constant && *constant > -most && *constant < most ? constant : std::nullopt;
}

// Of `var + distance`.
std::optional<std::int64_t> distance_of(const ExprRef& expr, const Var& var) {
    if (expr.get() == &var)
        return 0;
    const auto* binary = as<Binary>(expr);
    const auto constant = binary ? index_constant(binary->b) : std::nullopt;
    const auto before = constant ? distance_of(binary->a, var) : std::nullopt;
    if (!before || (binary->op != BinOp::Add && binary->op != BinOp::Sub))
        return std::nullopt;
    return binary->op == BinOp::Add ? *before + *constant : *before - *constant;
}

std::optional<CutSide> side_of(const Binary& expr, const Var& var) {
    const bool is_left = depends_on(expr.a, var);
    const auto distance = distance_of(is_left ? expr.a : expr.b, var);
    const auto constant = index_constant(is_left ? expr.b : expr.a);
    if (!distance || !constant)
        return std::nullopt;
    const std::int64_t at = *constant - *distance;
    switch (expr.op) {
    case BinOp::Lt: return is_left ? CutSide{at, true} : CutSide{at + 1, false};
    case BinOp::Le: return is_left ? CutSide{at + 1, true} : CutSide{at, false};
    default: return std::nullopt;
    }
}

// The body of a loop for the places from `begin` on, which no cut separates.
class LoopPiece : public Rewriter {
public:
    LoopPiece(const Var& var, std::int64_t begin) : Rewriter(0, Definitions::Copy), m_var(var), m_begin(begin) {}

protected:
    using Rewriter::visit;
    ExprRef visit(const Binary& expr) override {
        const auto side = is_comparison(expr.op) ? side_of(expr, m_var) : std::nullopt;
        return side ? bool_constant((m_begin < side->cut) == side->is_below) : rebuild(expr);
    }
    ExprRef visit(const Select& expr) override {
        const ExprRef condition = rewrite(expr.condition);
        if (const auto known = constant_int(condition))
            return rewrite(*known ? expr.a : expr.b);
        return make_select(condition, rewrite(expr.a), rewrite(expr.b));
    }

private:
    const Var& m_var;
    const std::int64_t m_begin;
};

class LoopCutter : public Rewriter {
protected:
    using Rewriter::visit;
    StmtRef visit(const ForStmt& stmt) override {
        const auto extent = constant_int(stmt.extent);
        const bool is_innermost = !any_of_nodes(
            stmt.body, [](const ForStmt&) { return true; }, [](const WhileStmt&) { return true; });
        if (!is_innermost || !extent || stmt.attr.what != LoopAttr{}.what)
            return rebuild(stmt);
        const std::set<std::int64_t> cuts = cuts_of(stmt, *extent);
        if (cuts.empty() || cuts.size() > most_cuts ||
            *extent < least_piece * static_cast<std::int64_t>(cuts.size() + 1))
            return rebuild(stmt);
        StmtVec pieces;
        std::int64_t begin = 0;
        const auto add_piece = [&](std::int64_t end) {
            pieces.push_back(loop(stmt.var->name, i64(end - begin), [&](const ExprRef& index) {
                LoopPiece piece(*stmt.var, begin);
                piece.replace(stmt.var, add(index, i64(begin)));
                return piece.rewrite(stmt.body);
            }));
            begin = end;
        };
        for (const std::int64_t cut : cuts)
            add_piece(cut);
        add_piece(*extent);
        return make_seq(std::move(pieces));
    }

private:
    static std::set<std::int64_t> cuts_of(const ForStmt& stmt, std::int64_t extent) {
        std::set<std::int64_t> cuts;
        each_node(stmt.body, [&](const Binary& expr) {
            const auto side = is_comparison(expr.op) ? side_of(expr, *stmt.var) : std::nullopt;
            if (side && side->cut > 0 && side->cut < extent)
                cuts.insert(side->cut);
        });
        return cuts;
    }
};

} // namespace

FunctionRef with_loops_in_pieces(const FunctionRef& function) {
    return LoopCutter().rewrite(function);
}

} // namespace hidet::graph
