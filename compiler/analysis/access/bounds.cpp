// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/access/bounds.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/analysis/access/tracer.h"
#include "compiler/analysis/inside.h"
#include "compiler/analysis/range_rewriter.h"

namespace hidet::compiler::access {

using namespace ir;

namespace {

// What a launch dimension is at most; more than an integer holds is launched by nobody. Of sums and quotients as (n + 15) // 16.
std::optional<Wide> most_of(const ExprRef& expr) {
    if (const auto value = constant_int(expr))
        return *value;
    const auto dtype = scalar_of(expr->type);
    if (expr->kind == Kind::Var || expr->kind == Kind::SymbolVar)
        return dtype == DType::I32 ? std::optional(type_range(DType::I32).hi) : std::nullopt;
    const auto* e = as<Binary>(expr);
    const auto by = e ? constant_int(e->b) : std::nullopt;
    const auto of = by && *by > 0 ? most_of(e->a) : std::nullopt;
    if (!of)
        return std::nullopt;
    switch (e->op) {
    case BinOp::Add: return *of + *by;
    case BinOp::Div:
    case BinOp::FloorDiv: return *of / *by;
    default: return std::nullopt;
    }
}

// The elements that are inside of their tensors for any sizes, in all places where they stand: unrolled turns share what is the
// same in all of them. It changes nothing.
class AnySize : public RangeRewriter {
public:
    AnySize(const Function& kernel, const Uses& uses, const LaunchBounds* bounds)
        : RangeRewriter(PassId{}, uses, bounds), m_proof(this->uses, ranges) {
        for (std::size_t d = 0; d < kernel.grid_dim.size(); ++d)
            if (const auto most = most_of(kernel.grid_dim[d]); most && !constant_int(kernel.grid_dim[d]))
                ranges.bind(static_cast<Builtin>(static_cast<int>(Builtin::BlockIdxX) + static_cast<int>(d)),
                            {0, std::max<Wide>(*most - 1, 0)});
    }
    std::unordered_set<const Node*> inside_in(const StmtRef& body) {
        rewrite(body);
        std::erase_if(m_inside, [&](const Node* node) { return m_outside.contains(node); });
        return std::move(m_inside);
    }

protected:
    using RangeRewriter::visit;
    ExprRef visit(const TensorElement& expr) override {
        look(expr, expr.base, expr.indices);
        return RangeRewriter::visit(expr);
    }
    StmtRef visit(const StoreStmt& stmt) override {
        look(stmt, stmt.base, stmt.indices);
        return RangeRewriter::visit(stmt);
    }
    StmtRef visit(const ForStmt& stmt) override {
        m_proof.learn(stmt);
        return RangeRewriter::visit(stmt);
    }
    StmtRef visit(const DeclareStmt& stmt) override {
        m_proof.learn(stmt);
        return RangeRewriter::visit(stmt);
    }

private:
    void look(const Node& node, const ExprRef& base, const ExprVec& indices) {
        const TensorType* tensor = tensor_of(base->type);
        bool is_inside = tensor && tensor->shape.size() == indices.size();
        for (std::size_t d = 0; is_inside && d < indices.size(); ++d)
            is_inside = m_proof.is_inside(indices[d], tensor->shape[d]);
        (is_inside ? m_inside : m_outside).insert(&node);
    }

    InsideProof m_proof;
    std::unordered_set<const Node*> m_inside, m_outside; // in some place
};

} // namespace

std::vector<BoundsCheck> check_bounds(const Module& module, const Function& kernel, const SymbolValues& sizes,
                                      const Limits& limits) {
    const auto launches = launch_bounds(module);
    const auto launch = launches.find(kernel.name);
    const Uses uses = uses_in(kernel, &module);
    AnySize any_size(kernel, uses, launch == launches.end() ? nullptr : &launch->second);
    return BoundsTracer(module, kernel, sizes, limits).bounds(any_size.inside_in(kernel.body));
}

const char* within_name(Within within) {
    switch (within) {
    case Within::Proved: return "proved";
    case Within::Undecided: return "not decided";
    case Within::Leaves: return "leaves";
    }
    return "";
}

} // namespace hidet::compiler::access
