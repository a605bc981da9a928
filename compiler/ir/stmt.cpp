// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/stmt.h"

#include "compiler/ir/structure.h"

namespace hidet::ir {

const char* scope_name(Scope scope) {
    static constexpr const char* names[] = {"default", "global", "shared", "register", "host"};
    return names[static_cast<std::size_t>(scope)];
}

StmtRef make_evaluate(ExprRef value) {
    EvaluateStmt node;
    node.value = std::move(value);
    return make<EvaluateStmt>(std::move(node));
}

StmtRef make_declare(VarRef var, ExprRef init, Scope scope, bool is_static) {
    DeclareStmt node;
    node.var = std::move(var);
    node.init = std::move(init);
    node.scope = scope;
    node.is_static = is_static;
    return make<DeclareStmt>(std::move(node));
}

StmtRef make_let_stmt(VarRef var, ExprRef value) {
    HIDET_CHECK(value != nullptr);
    DeclareStmt node;
    node.var = std::move(var);
    node.init = std::move(value);
    node.is_let = true;
    return make<DeclareStmt>(std::move(node));
}

StmtRef make_store(ExprRef base, ExprVec indices, ExprRef value, bool is_protected) {
    StoreStmt node;
    node.base = std::move(base);
    node.indices = std::move(indices);
    node.value = std::move(value);
    node.is_protected = is_protected;
    return make<StoreStmt>(std::move(node));
}

StmtRef make_assign(VarRef var, ExprRef value) {
    AssignStmt node;
    node.var = std::move(var);
    node.value = std::move(value);
    return make<AssignStmt>(std::move(node));
}

StmtRef make_return(ExprRef value) {
    ReturnStmt node;
    node.value = std::move(value);
    return make<ReturnStmt>(std::move(node));
}

static StmtRef or_nothing(StmtRef body) {
    return body ? body : make_seq({});
}

StmtRef make_for(VarRef var, ExprRef extent, LoopAttr attr, StmtRef body) {
    ForStmt node;
    node.var = std::move(var);
    node.extent = std::move(extent);
    node.attr = attr;
    node.body = or_nothing(std::move(body));
    return make<ForStmt>(std::move(node));
}

StmtRef make_for_mapping(VarVec vars, MappingRef mapping, ExprRef worker, StmtRef body) {
    ForMappingStmt node;
    node.vars = std::move(vars);
    node.mapping = std::move(mapping);
    node.worker = std::move(worker);
    node.body = or_nothing(std::move(body));
    return make<ForMappingStmt>(std::move(node));
}

StmtRef make_while(ExprRef condition, StmtRef body) {
    WhileStmt node;
    node.condition = std::move(condition);
    node.body = or_nothing(std::move(body));
    return make<WhileStmt>(std::move(node));
}

StmtRef make_break() {
    return make<BreakStmt>(BreakStmt{});
}

StmtRef make_continue() {
    return make<ContinueStmt>(ContinueStmt{});
}

StmtRef make_if(ExprRef condition, StmtRef then_body, StmtRef else_body) {
    IfStmt node;
    node.condition = std::move(condition);
    node.then_body = or_nothing(std::move(then_body));
    node.else_body = std::move(else_body);
    return make<IfStmt>(std::move(node));
}

StmtRef make_assert(ExprRef condition, std::string message) {
    AssertStmt node;
    node.condition = std::move(condition);
    node.message = std::move(message);
    return make<AssertStmt>(std::move(node));
}

StmtRef make_comment(std::string text) {
    CommentStmt node;
    node.text = std::move(text);
    return make<CommentStmt>(std::move(node));
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
