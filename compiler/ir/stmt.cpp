// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/stmt.h"

#include "compiler/ir/structure.h"

namespace hidet::ir {

const char* scope_name(Scope scope) {
    static constexpr const char* names[] = {"default", "global", "shared", "register", "host"};
    return names[static_cast<std::size_t>(scope)];
}

StmtRef make_evaluate(ExprRef value) {
    return make_node<EvaluateStmt>(std::move(value));
}

StmtRef make_declare(VarRef var, ExprRef init, Scope scope, bool is_static) {
    return make_node<DeclareStmt>(std::move(var), std::move(init), scope, is_static, false);
}

StmtRef make_let_stmt(VarRef var, ExprRef value) {
    HIDET_CHECK(value != nullptr);
    return make_node<DeclareStmt>(std::move(var), std::move(value), Scope::Default, false, true);
}

StmtRef make_store(ExprRef base, ExprVec indices, ExprRef value, bool is_protected) {
    return make_node<StoreStmt>(std::move(base), std::move(indices), std::move(value), is_protected);
}

StmtRef make_assign(VarRef var, ExprRef value) {
    return make_node<AssignStmt>(std::move(var), std::move(value));
}

StmtRef make_return(ExprRef value) {
    return make_node<ReturnStmt>(std::move(value));
}

static StmtRef or_nothing(StmtRef body) {
    return body ? body : make_seq({});
}

StmtRef make_for(VarRef var, ExprRef extent, LoopAttr attr, StmtRef body) {
    return make_node<ForStmt>(std::move(var), std::move(extent), attr, or_nothing(std::move(body)));
}

StmtRef make_for_mapping(VarVec vars, MappingRef mapping, ExprRef worker, StmtRef body) {
    return make_node<ForMappingStmt>(std::move(vars), std::move(mapping), std::move(worker),
                                     or_nothing(std::move(body)));
}

StmtRef make_while(ExprRef condition, StmtRef body) {
    return make_node<WhileStmt>(std::move(condition), or_nothing(std::move(body)));
}

StmtRef make_break() {
    return make_node<BreakStmt>();
}

StmtRef make_continue() {
    return make_node<ContinueStmt>();
}

StmtRef make_if(ExprRef condition, StmtRef then_body, StmtRef else_body) {
    return make_node<IfStmt>(std::move(condition), or_nothing(std::move(then_body)), std::move(else_body));
}

StmtRef make_assert(ExprRef condition, std::string message) {
    return make_node<AssertStmt>(std::move(condition), std::move(message));
}

StmtRef make_comment(std::string text) {
    return make_node<CommentStmt>(std::move(text));
}

StmtRef make_seq(StmtVec stmts) {
    SeqStmt node;
    for (StmtRef& stmt : stmts) {
        if (!stmt)
            continue;
        if (const auto* inner = as<SeqStmt>(stmt))
            node.stmts.insert(node.stmts.end(), inner->stmts.begin(), inner->stmts.end());
        else
            node.stmts.push_back(std::move(stmt));
    }
    if (node.stmts.size() == 1)
        return node.stmts.front();
    return make<SeqStmt>(std::move(node));
}

} // namespace hidet::ir
