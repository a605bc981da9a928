// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/parameter_accesses.h"

#include <unordered_map>

#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"

namespace hidet::compiler {

using namespace ir;

namespace {

using Roots = std::unordered_map<const Node*, std::vector<std::size_t>>; // pointers -> parameters they may come from

class AccessFinder {
public:
    AccessFinder(const Function& function, const Module& module, int depth)
        : m_module(module), m_depth(depth), m_result(function.params.size()) {
        for (std::size_t i = 0; i < function.params.size(); ++i)
            m_roots[function.params[i].get()] = {i};
        visit(function.body.get());
    }
    const std::vector<ParameterAccess>& result() const { return m_result; }

private:
    std::vector<std::size_t> roots_of(const Node* node) const {
        if (!node)
            return {};
        if (auto found = m_roots.find(node); found != m_roots.end())
            return found->second;
        if (!is_expr(*node))
            return {};
        switch (kind_of(static_cast<const Expr&>(*node))) {
        case ExprKind::Cast: return roots_of(static_cast<const Cast*>(node)->a.get());
        case ExprKind::Address: return base_roots(static_cast<const Address*>(node)->place.get());
        case ExprKind::Select: {
            std::vector<std::size_t> both = roots_of(static_cast<const Select*>(node)->a.get());
            for (std::size_t root : roots_of(static_cast<const Select*>(node)->b.get()))
                both.push_back(root);
            return both;
        }
        case ExprKind::Binary: {
            const auto* binary = static_cast<const Binary*>(node);
            return is_pointer(binary->type) ? roots_of((is_pointer(binary->a->type) ? binary->a : binary->b).get())
                                            : std::vector<std::size_t>{};
        }
        case ExprKind::Var: // those that are known have been found
        case HIDET_LEAF_EXPRS:
        case ExprKind::Unary:
        case HIDET_MEMORY_EXPRS:
        case HIDET_SHORTHAND_EXPRS:
        case HIDET_CALL_EXPRS: return {};
        }
        no_such_kind(*node);
    }
    std::vector<std::size_t> base_roots(const Node* place) const {
        if (!place)
            return {};
        if (place->kind == Kind::TensorElement)
            return roots_of(static_cast<const TensorElement*>(place)->base.get());
        if (place->kind == Kind::Deref)
            return roots_of(static_cast<const Deref*>(place)->pointer.get());
        return {};
    }
    void touch(const std::vector<std::size_t>& roots, ParameterAccess access) {
        for (std::size_t root : roots) {
            m_result[root].read |= access.read;
            m_result[root].written |= access.written;
        }
    }
    void visit(const Node* node);
    void visit_intrinsic(const Intrinsic& call);
    void visit_expr(const Expr& expr);
    void visit_stmt(const Stmt& stmt);
    void visit_children(const Node& node);
    void pass_on_children(const Node& node);
    void pass_on(const std::string& name, const ExprVec& args);

    const Module& m_module;
    int m_depth; // of calls
    Roots m_roots;
    std::vector<ParameterAccess> m_result;
};

// What the callee does to its parameters is done to the arguments.
void AccessFinder::pass_on(const std::string& name, const ExprVec& args) {
    const Function* callee = m_depth < 16 ? find_function(m_module, name) : nullptr;
    std::vector<ParameterAccess> accesses(args.size(), {.read = true, .written = true});
    if (callee && callee->params.size() == args.size())
        accesses = AccessFinder(*callee, m_module, m_depth + 1).result();
    for (std::size_t i = 0; i < args.size(); ++i)
        touch(roots_of(args[i].get()), accesses[i]);
}

void AccessFinder::visit(const Node* node) {
    if (!node || !runs(*node))
        return;
    if (is_expr(*node))
        return visit_expr(static_cast<const Expr&>(*node));
    if (is_stmt(*node))
        visit_stmt(static_cast<const Stmt&>(*node));
}

void AccessFinder::visit_children(const Node& node) {
    for_each_child(node, [&](const Node* child) { visit(child); });
}

// Anything may be done to what pointers among them lead to.
void AccessFinder::pass_on_children(const Node& node) {
    for_each_child(node, [&](const Node* child) { touch(roots_of(child), {.read = true, .written = true}); });
}

void AccessFinder::visit_intrinsic(const Intrinsic& call) {
    for (std::size_t i = 0; i < call.args.size(); ++i) {
        MemoryAccess access = parameter_of(info(call.id), i, call.args.size()).access;
        bool is_known = access.any(); // else the pointer itself is the value
        touch(roots_of(call.args[i].get()), {.read = access.reads || !is_known, .written = access.writes || !is_known});
    }
}

void AccessFinder::visit_expr(const Expr& expr) {
    switch (kind_of(expr)) {
    case HIDET_MEMORY_EXPRS: touch(base_roots(&expr), {.read = true}); break;
    case ExprKind::Call: pass_on(static_cast<const Call&>(expr).callee, static_cast<const Call&>(expr).args); break;
    case ExprKind::Intrinsic: visit_intrinsic(static_cast<const Intrinsic&>(expr)); break;
    case ExprKind::Address: // no access: only where the address goes counts
        for_each_child(expr, [&](const Node* place) {
            if (place)
                visit_children(*place);
        });
        return;
    case ExprKind::Var:
    case HIDET_LEAF_EXPRS:
    case HIDET_OPERATOR_EXPRS:
    case HIDET_SHORTHAND_EXPRS: break;
    }
    visit_children(expr);
}

void AccessFinder::visit_stmt(const Stmt& stmt) {
    switch (kind_of(stmt)) {
    case StmtKind::DeclareStmt: {
        const auto& declare = static_cast<const DeclareStmt&>(stmt);
        if (declare.init && is_pointer(declare.var->type))
            m_roots[declare.var.get()] = roots_of(declare.init.get());
        break;
    }
    case StmtKind::AssignStmt: {
        const auto& assign = static_cast<const AssignStmt&>(stmt);
        if (is_pointer(assign.var->type))
            for (std::size_t root : roots_of(assign.value.get()))
                m_roots[assign.var.get()].push_back(root);
        break;
    }
    case StmtKind::StoreStmt: {
        const auto& store = static_cast<const StoreStmt&>(stmt);
        touch(roots_of(store.base.get()), {.written = true});
        touch(roots_of(store.value.get()), {.read = true, .written = true}); // the pointer itself goes into memory
        break;
    }
    case StmtKind::LaunchStmt:
        pass_on(static_cast<const LaunchStmt&>(stmt).kernel, static_cast<const LaunchStmt&>(stmt).args);
        break;
    case StmtKind::AsmStmt:
    case StmtKind::ReturnStmt: pass_on_children(stmt); break;
    case StmtKind::EvaluateStmt:
    case HIDET_LOOP_STMTS:
    case StmtKind::BreakStmt:
    case StmtKind::ContinueStmt:
    case StmtKind::IfStmt:
    case StmtKind::AssertStmt:
    case StmtKind::CommentStmt:
    case StmtKind::SeqStmt: break;
    }
    visit_children(stmt);
}

} // namespace

std::vector<ParameterAccess> parameter_accesses(const Function& function, const Module& module) {
    return AccessFinder(function, module, 0).result();
}

} // namespace hidet::compiler
