// SPDX-License-Identifier: Apache-2.0
// Statements.
#pragma once

#include "compiler/ir/expr.h"
#include "compiler/ir/loop_attr.h"

namespace hidet::ir {

struct EvaluateStmt : Stmt {
    static constexpr Kind tag = Kind::EvaluateStmt;
    EvaluateStmt() : Stmt(tag) {}
    ExprRef value;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("value", s.value);
    }
};

enum class Scope : std::uint8_t { Default, Global, Shared, Register, Host };
const char* scope_name(Scope scope);

// Visible to the end of the enclosing Seq. `is_let`: never assigned nor addressed after it, init is not null.
struct DeclareStmt : Stmt {
    static constexpr Kind tag = Kind::DeclareStmt;
    DeclareStmt() : Stmt(tag) {}
    VarRef var;
    ExprRef init; // may be null: uninitialised
    Scope scope = Scope::Default;
    bool is_static = false;
    bool is_let = false;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("var", s.var), v("init", s.init), v("scope", s.scope), v("static", s.is_static), v("let", s.is_let);
    }
};

struct StoreStmt : Stmt { // base[indices] = value
    static constexpr Kind tag = Kind::StoreStmt;
    StoreStmt() : Stmt(tag) {}
    ExprRef base;
    ExprVec indices;
    ExprRef value;
    bool is_protected = false; // out of bounds: nothing happens
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("base", s.base), v("indices", s.indices), v("value", s.value), v("protected", s.is_protected);
    }
};

struct AssignStmt : Stmt { // var = value
    static constexpr Kind tag = Kind::AssignStmt;
    AssignStmt() : Stmt(tag) {}
    VarRef var;
    ExprRef value;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("var", s.var), v("value", s.value);
    }
};

struct ReturnStmt : Stmt {
    static constexpr Kind tag = Kind::ReturnStmt;
    ReturnStmt() : Stmt(tag) {}
    ExprRef value; // may be null
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("value", s.value);
    }
};

struct ForStmt : Stmt { // var = 0, 1, ..., extent - 1, which the body never assigns; both are the same type of integer
    static constexpr Kind tag = Kind::ForStmt;
    ForStmt() : Stmt(tag) {}
    VarRef var;
    ExprRef extent;
    LoopAttr attr;
    StmtRef body;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("var", s.var), v("extent", s.extent), v("attr", s.attr), v("body", s.body);
    }
};

struct ForMappingStmt : Stmt { // for vars in mapping.on(worker)
    static constexpr Kind tag = Kind::ForMappingStmt;
    ForMappingStmt() : Stmt(tag) {}
    VarVec vars;
    MappingRef mapping;
    ExprRef worker;
    StmtRef body;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("vars", s.vars), v("mapping", s.mapping), v("worker", s.worker), v("body", s.body);
    }
};

struct WhileStmt : Stmt {
    static constexpr Kind tag = Kind::WhileStmt;
    WhileStmt() : Stmt(tag) {}
    ExprRef condition;
    StmtRef body;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("condition", s.condition), v("body", s.body);
    }
};

struct BreakStmt : Stmt { // of the innermost For, ForMapping or While
    static constexpr Kind tag = Kind::BreakStmt;
    BreakStmt() : Stmt(tag) {}
    template <class S, class V>
    static void visit_fields(S&, V&&) {}
};

struct ContinueStmt : Stmt {
    static constexpr Kind tag = Kind::ContinueStmt;
    ContinueStmt() : Stmt(tag) {}
    template <class S, class V>
    static void visit_fields(S&, V&&) {}
};

struct IfStmt : Stmt {
    static constexpr Kind tag = Kind::IfStmt;
    IfStmt() : Stmt(tag) {}
    ExprRef condition;
    StmtRef then_body;
    StmtRef else_body; // may be null
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("condition", s.condition), v("then", s.then_body), v("else", s.else_body);
    }
};

struct AssertStmt : Stmt {
    static constexpr Kind tag = Kind::AssertStmt;
    AssertStmt() : Stmt(tag) {}
    ExprRef condition;
    std::string message;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("condition", s.condition), v("message", s.message);
    }
};

struct AsmStmt : Stmt { // inline PTX; labels are constraint letters with '=' or '+'
    static constexpr Kind tag = Kind::AsmStmt;
    AsmStmt() : Stmt(tag) {}
    std::string text;
    std::vector<std::string> output_labels;
    ExprVec outputs;
    std::vector<std::string> input_labels;
    ExprVec inputs;
    bool is_volatile = false;
    bool memory_fence = false;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("text", s.text), v("output_labels", s.output_labels), v("outputs", s.outputs),
            v("input_labels", s.input_labels), v("inputs", s.inputs), v("volatile", s.is_volatile),
            v("memory_fence", s.memory_fence);
    }
};

struct CommentStmt : Stmt {
    static constexpr Kind tag = Kind::CommentStmt;
    CommentStmt() : Stmt(tag) {}
    std::string text;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("text", s.text);
    }
};

struct SeqStmt : Stmt { // never directly inside another Seq; what it declares is visible to its end
    static constexpr Kind tag = Kind::SeqStmt;
    SeqStmt() : Stmt(tag) {}
    StmtVec stmts;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("stmts", s.stmts);
    }
};

struct LaunchStmt : Stmt { // kernel<<<grid, block, smem>>>(args)
    static constexpr Kind tag = Kind::LaunchStmt;
    LaunchStmt() : Stmt(tag) {}
    std::string kernel;
    ExprVec args;
    ExprVec grid;    // 3
    ExprVec cluster; // 3
    ExprVec block;   // 3
    ExprRef dynamic_smem_bytes;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("kernel", s.kernel), v("args", s.args), v("grid", s.grid), v("cluster", s.cluster), v("block", s.block),
            v("dynamic_smem_bytes", s.dynamic_smem_bytes);
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
