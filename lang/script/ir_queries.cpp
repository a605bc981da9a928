// SPDX-License-Identifier: Apache-2.0
#include "lang/script/ir_queries.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"

namespace hidet::lang {

namespace {

// Host code can double an expression again and again (`x = x + x`): as a tree it soon has more nodes than can be walked.
constexpr std::uint32_t small_tree = 1000;
using Visited = std::unordered_set<const ir::Node*>;

// `visited` is null for a tree that is small.
bool any_node(const ir::Node& root, const std::function<bool(const ir::Node&)>& holds, Visited* visited) {
    if (visited && !visited->insert(&root).second)
        return false;
    if (holds(root))
        return true;
    bool found = false;
    ir::for_each_child(root, [&](const ir::Node* child) {
        if (child && ir::runs(*child)) // types and layouts hold nothing that runs
            found = found || any_node(*child, holds, visited);
    });
    return found;
}

} // namespace

bool any_node(const ir::NodeRef& root, const std::function<bool(const ir::Node&)>& holds) {
    if (!root)
        return false;
    Visited visited;
    return any_node(*root, holds, root->size > small_tree ? &visited : nullptr);
}

bool has_effect(const ir::ExprRef& expr) {
    return any_node(expr, [](const ir::Node& node) {
        if (node.kind == ir::Kind::Intrinsic)
            return ir::acts(static_cast<const ir::Intrinsic&>(node).id);
        return node.kind == ir::Kind::Call;
    });
}

bool reads_memory(const ir::ExprRef& expr) {
    return any_node(expr, [](const ir::Node& node) {
        if (node.kind == ir::Kind::Intrinsic)
            return ir::info(static_cast<const ir::Intrinsic&>(node).id).effect != ir::IntrinsicEffect::Pure;
        return node.kind == ir::Kind::Call || node.kind == ir::Kind::TensorElement || node.kind == ir::Kind::Deref;
    });
}

bool is_alias(const ir::ExprRef& expr) {
    return ir::as<ir::TensorSlice>(expr) || ir::as<ir::TensorType>(expr->type) || ir::as<ir::StringType>(expr->type) ||
           ir::as<ir::FuncType>(expr->type);
}

bool mentions(const ir::ExprRef& expr, const ir::Var& var) {
    return any_node(expr, [&](const ir::Node& node) { return &node == &var; });
}

// Breaks of this loop only: those of inner loops leave the inner loop.
static bool leaves_loop(const ir::StmtRef& body) {
    if (!body)
        return false;
    if (ir::as<ir::BreakStmt>(body))
        return true;
    if (const auto* seq = ir::as<ir::SeqStmt>(body))
        return std::ranges::any_of(seq->stmts, leaves_loop);
    const auto* branch = ir::as<ir::IfStmt>(body);
    return branch && (leaves_loop(branch->then_body) || leaves_loop(branch->else_body));
}

bool never_falls_through(const ir::StmtRef& stmt) {
    if (!stmt)
        return false;
    if (ir::as<ir::ReturnStmt>(stmt))
        return true;
    if (const auto* assertion = ir::as<ir::AssertStmt>(stmt))
        return ir::is_constant(assertion->condition, 0);
    if (const auto* seq = ir::as<ir::SeqStmt>(stmt))
        return std::ranges::any_of(seq->stmts, never_falls_through);
    if (const auto* branch = ir::as<ir::IfStmt>(stmt))
        return never_falls_through(branch->then_body) && never_falls_through(branch->else_body);
    const auto* loop = ir::as<ir::WhileStmt>(stmt);
    return loop && ir::is_constant(loop->condition, 1) && !leaves_loop(loop->body);
}

} // namespace hidet::lang
