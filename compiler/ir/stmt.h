// SPDX-License-Identifier: Apache-2.0
// Statements.
#pragma once

#include "compiler/ir/expr.h"
#include "compiler/ir/loop_attr.h"

namespace hidet::ir {

struct EvaluateStmt : NodeOf<Kind::EvaluateStmt, Stmt> {
    ExprRef value;
    static void visit_fields(auto& s, auto&& v) { v(s.value); }
};

enum class Scope : std::uint8_t { Default, Global, Shared, Register, Host };
const char* scope_name(Scope scope);

// Visible to the end of the enclosing Seq. `is_let`: never assigned nor addressed after it, init is not null.
struct DeclareStmt : NodeOf<Kind::DeclareStmt, Stmt> {
    VarRef var;
    ExprRef init; // may be null: uninitialised
    Scope scope = Scope::Default;
    bool is_static = false;
    bool is_let = false;
    static void visit_fields(auto& s, auto&& v) { v(s.var, s.init, s.scope, s.is_static, s.is_let); }
};

struct StoreStmt : NodeOf<Kind::StoreStmt, Stmt> { // base[indices] = value
    ExprRef base;
    ExprVec indices;
    ExprRef value;
    bool is_protected = false; // out of bounds: nothing happens
    static void visit_fields(auto& s, auto&& v) { v(s.base, s.indices, s.value, s.is_protected); }
};

struct AssignStmt : NodeOf<Kind::AssignStmt, Stmt> { // var = value
    VarRef var;
    ExprRef value;
    static void visit_fields(auto& s, auto&& v) { v(s.var, s.value); }
};

struct ReturnStmt : NodeOf<Kind::ReturnStmt, Stmt> {
    ExprRef value; // may be null
    static void visit_fields(auto& s, auto&& v) { v(s.value); }
};

// var = 0, 1, ..., extent - 1, which the body never assigns; both are the same type of integer.
struct ForStmt : NodeOf<Kind::ForStmt, Stmt> {
    VarRef var;
    ExprRef extent;
    LoopAttr attr;
    StmtRef body;
    static void visit_fields(auto& s, auto&& v) { v(s.var, s.extent, s.attr, s.body); }
};

struct ForMappingStmt : NodeOf<Kind::ForMappingStmt, Stmt> { // for vars in mapping.on(worker)
    VarVec vars;
    MappingRef mapping;
    ExprRef worker;
    StmtRef body;
    static void visit_fields(auto& s, auto&& v) { v(s.vars, s.mapping, s.worker, s.body); }
};

struct WhileStmt : NodeOf<Kind::WhileStmt, Stmt> {
    ExprRef condition;
    StmtRef body;
    static void visit_fields(auto& s, auto&& v) { v(s.condition, s.body); }
};

struct BreakStmt : NodeOf<Kind::BreakStmt, Stmt> { // of the innermost For, ForMapping or While
    static void visit_fields(auto&, auto&& v) { v(); }
};

struct ContinueStmt : NodeOf<Kind::ContinueStmt, Stmt> {
    static void visit_fields(auto&, auto&& v) { v(); }
};

struct IfStmt : NodeOf<Kind::IfStmt, Stmt> {
    ExprRef condition;
    StmtRef then_body;
    StmtRef else_body; // may be null
    static void visit_fields(auto& s, auto&& v) { v(s.condition, s.then_body, s.else_body); }
};

struct AssertStmt : NodeOf<Kind::AssertStmt, Stmt> {
    ExprRef condition;
    std::string message;
    static void visit_fields(auto& s, auto&& v) { v(s.condition, s.message); }
};

struct AsmStmt : NodeOf<Kind::AsmStmt, Stmt> { // inline PTX; labels are constraint letters with '=' or '+'
    std::string text;
    std::vector<std::string> output_labels;
    ExprVec outputs;
    std::vector<std::string> input_labels;
    ExprVec inputs;
    bool is_volatile = false;
    bool memory_fence = false;
    static void visit_fields(auto& s, auto&& v) {
        v(s.text, s.output_labels, s.outputs, s.input_labels, s.inputs, s.is_volatile, s.memory_fence);
    }
};

struct CommentStmt : NodeOf<Kind::CommentStmt, Stmt> {
    std::string text;
    static void visit_fields(auto& s, auto&& v) { v(s.text); }
};

// Never directly inside another Seq; what it declares is visible to its end.
struct SeqStmt : NodeOf<Kind::SeqStmt, Stmt> {
    StmtVec stmts;
    static void visit_fields(auto& s, auto&& v) { v(s.stmts); }
};

struct LaunchStmt : NodeOf<Kind::LaunchStmt, Stmt> { // kernel<<<grid, block, smem>>>(args)
    std::string kernel;
    ExprVec args;
    ExprVec grid;    // 3
    ExprVec cluster; // 3
    ExprVec block;   // 3
    ExprRef dynamic_smem_bytes;
    static void visit_fields(auto& s, auto&& v) {
        v(s.kernel, s.args, s.grid, s.cluster, s.block, s.dynamic_smem_bytes);
    }
};

StmtRef make_evaluate(ExprRef value);
StmtRef make_declare(VarRef var, ExprRef init = nullptr, Scope scope = Scope::Default, bool is_static = false);
StmtRef make_let_stmt(VarRef var, ExprRef value);
StmtRef make_store(ExprRef base, ExprVec indices, ExprRef value, bool is_protected = false);
StmtRef make_assign(VarRef var, ExprRef value);
StmtRef make_return(ExprRef value = nullptr);
StmtRef make_for(VarRef var, ExprRef extent, LoopAttr attr, StmtRef body);
StmtRef make_for_mapping(VarVec vars, MappingRef mapping, ExprRef worker, StmtRef body);
StmtRef make_while(ExprRef condition, StmtRef body);
StmtRef make_break();
StmtRef make_continue();
StmtRef make_if(ExprRef condition, StmtRef then_body, StmtRef else_body = nullptr);
StmtRef make_assert(ExprRef condition, std::string message);
StmtRef make_comment(std::string text);
// Flattens inner Seqs, drops nulls; a single statement stays itself. A Var is declared once in a function, so flattening
// cannot clash; who duplicates a statement copies its definitions (Definitions::Copy of a Rewriter).
StmtRef make_seq(StmtVec stmts);

} // namespace hidet::ir
