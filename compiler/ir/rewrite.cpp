// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/rewrite.h"

#include "compiler/ir/each_node.h"
#include "compiler/ir/family.h"
#include "compiler/ir/ops.h"
#include "lang/base/transformed.h"

namespace hidet::ir {

void look_through(const Node& node, const std::function<bool(const Node&)>& enter) {
    if (!enter(node) || node.kind == Kind::Var)
        return;
    visit_node(node, [&](const auto& typed) {
        const std::uint32_t definitions = definition_count_of(typed);
        std::uint32_t index = 0;
        for_each_child_of(typed, [&](const Node* child) {
            if (index++ < definitions)
                look_through(*static_cast<const Var&>(*child).type, enter);
            else if (child)
                look_through(*child, enter);
        });
    });
}

// ---- Walker ---------------------------------------------------------------------------------------------------------

void Walker::walk(const Node& node) {
    visit_node(node, [&](const auto& typed) { visit(typed); });
}

template <class T>
void Walker::walk_fields(const T& node) {
    std::uint32_t definitions = definition_count_of(node);
    std::uint32_t index = 0;
    for_each_child_of(node, [&](const Node* child) {
        if (index++ < definitions)
            define(static_cast<const Var&>(*child));
        else if (child)
            walk(*child);
    });
}

void Walker::walk_children(const Node& node) {
    visit_node(node, [&](const auto& typed) { walk_fields(typed); });
}

void Walker::define(const Var& var) {
    walk(*var.type);
}

void Walker::visit(const Var&) {}

#define HIDET_NODE(name)                                                                                               \
    void Walker::visit(const name& node) {                                                                             \
        walk_fields(node);                                                                                             \
    }
#define HIDET_VAR(name)
#include "compiler/ir/nodes.def"

// ---- Rewriter -------------------------------------------------------------------------------------------------------

// Whether the node says what it said, and only statements in it have changed: they are what the pass has made.
static bool is_around_changes(const Node& before, const Node& after) {
    const bool has_body = before.kind == Kind::Function || (is_stmt(before) && before.kind != Kind::SeqStmt);
    if (!has_body || after.kind != before.kind)
        return false;
    std::vector<const Node*> children;
    for_each_child(before, [&](const Node* child) { children.push_back(child); });
    std::size_t at = 0;
    bool is_same = true, has_changed = false;
    for_each_child(after, [&](const Node* child) {
        const Node* known = at < children.size() ? children[at] : nullptr;
        ++at;
        if (child == known)
            return;
        has_changed = true;
        is_same = is_same && child && known && is_stmt(*child) && is_stmt(*known);
    });
    return is_same && has_changed && at == children.size();
}

NodeRef Rewriter::rewrite_node(const Node& node) {
    NodeRef result = visit_node(node, [&](const auto& typed) -> NodeRef { return visit(typed); });
    if (!result || result.get() == &node || result->origin.known() || !node.origin.known())
        return result;
    const Origin own{node.origin.span, m_pass ? m_pass : node.origin.pass};
    if (is_around_changes(node, *result)) {
        for_each_child(*result, [&](const Node* child) {
            if (child && is_stmt(*child))
                set_origin(NodeRef(child), own);
        });
        set_origin(result, node.origin);
    }
    set_origin(result, own);
    return result;
}

ExprVec Rewriter::rewrite(const ExprVec& exprs) {
    return transformed(exprs, [&](const ExprRef& expr) { return rewrite(expr); });
}

VarRef Rewriter::copy_var(const VarRef& var) {
    VarRef copy = make_var(var->name, rewrite(var->type));
    set_origin(copy, var->origin);
    replace(var, copy);
    return copy;
}

const ExprRef* Rewriter::find_replacement(const Var& var) const {
    if (m_substitution.empty())
        return nullptr;
    auto found = m_substitution.find(&var);
    return found == m_substitution.end() ? nullptr : &found->second;
}

VarRef Rewriter::define(const Var& var) {
    if (const ExprRef* by = find_replacement(var)) {
        HIDET_CHECK((*by)->kind == Kind::Var, "'" + var.name + "' is defined here, so only a variable can replace it");
        return cast<Var>(*by);
    }
    TypeRef type = rewrite(var.type);
    if (m_definitions == Definitions::Keep && type == var.type)
        return self(var);
    VarRef fresh = make_var(var.name, type);
    set_origin(fresh, var.origin);
    replace(var, fresh);
    return fresh;
}

template <class T>
NodeRef Rewriter::rewrite_fields(const T& node) {
    if constexpr (std::is_same_v<T, Function>)
        define_params(node);
    ChildChanges changes;
    std::uint32_t definitions = definition_count_of(node);
    std::uint32_t index = 0;
    for_each_child_of(node, [&](const Node* child) {
        if (child) {
            bool is_definition = index < definitions;
            NodeRef mapped = is_definition ? NodeRef(define(static_cast<const Var&>(*child))) : rewrite_node(*child);
            if (mapped.get() != child)
                changes.add(index, std::move(mapped));
        }
        ++index;
    });
    return changes.empty() ? NodeRef(&node) : with_changed_children(node, std::move(changes));
}

NodeRef Rewriter::rewrite_children(const Node& node) {
    return visit_node(node, [&](const auto& typed) { return rewrite_fields(typed); });
}

// The type of a parameter may mention a later one (a tensor's shape), so when some were replaced all are looked at again.
void Rewriter::define_params(const Function& function) {
    std::size_t before = m_substitution.size();
    for (const VarRef& param : function.params)
        define(*param);
    if (m_substitution.size() == before)
        return;
    for (const VarRef& param : function.params) {
        const ExprRef* current = find_replacement(*param);
        TypeRef type = rewrite(param->type);
        if (same_type(type, current ? (*current)->type : param->type))
            continue;
        VarRef fresh = make_var(param->name, type);
        set_origin(fresh, param->origin);
        replace(param, fresh);
    }
}

ExprRef Rewriter::visit(const Var& var) {
    const ExprRef* by = find_replacement(var);
    return by ? *by : ExprRef(&var);
}

#define HIDET_REBUILD(family, name)                                                                                    \
    Ref<const family> Rewriter::visit(const name& node) {                                                              \
        return cast<family>(rewrite_fields(node));                                                                     \
    }
#define HIDET_TYPE(name) HIDET_REBUILD(Type, name)
#define HIDET_LAYOUT(name) HIDET_REBUILD(Layout, name)
#define HIDET_MAPPING(name) HIDET_REBUILD(Mapping, name)
#define HIDET_EXPR(name) HIDET_REBUILD(Expr, name)
#define HIDET_VAR(name)
#define HIDET_STMT(name) HIDET_REBUILD(Stmt, name)
#define HIDET_TOP(name) HIDET_REBUILD(name, name)
#include "compiler/ir/nodes.def"
#undef HIDET_REBUILD

} // namespace hidet::ir
