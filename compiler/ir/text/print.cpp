// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/text/print.h"

#include "compiler/ir/family.h"
#include "compiler/ir/text/printer.h"
#include "lang/base/text.h"

namespace hidet::ir {

void Printer::stmt(const StmtRef& stmt) {
    if (!stmt)
        return line(Origin{}, "null");
    if (const auto* seq = as<SeqStmt>(stmt)) {
        for (const StmtRef& item : seq->stmts)
            this->stmt(item);
        if (seq->stmts.empty())
            line(seq->origin, "pass");
        return;
    }
    begin_line(stmt->origin);
    switch (kind_of(*stmt)) {
    case StmtKind::EvaluateStmt: expr(static_cast<const EvaluateStmt&>(*stmt).value); break;
    case StmtKind::DeclareStmt: declare(static_cast<const DeclareStmt&>(*stmt)); break;
    case StmtKind::StoreStmt: {
        const auto& s = static_cast<const StoreStmt&>(*stmt);
        element(s.base, s.indices, s.is_protected), put(" = "), expr(s.value);
        break;
    }
    case StmtKind::AssignStmt: {
        const auto& s = static_cast<const AssignStmt&>(*stmt);
        expr(s.var), put(" = "), expr(s.value);
        break;
    }
    case StmtKind::ReturnStmt: {
        const auto& s = static_cast<const ReturnStmt&>(*stmt);
        put(s.value ? "return " : "return");
        if (s.value)
            expr(s.value);
        break;
    }
    case StmtKind::ForStmt: for_loop(static_cast<const ForStmt&>(*stmt)); return;
    case StmtKind::ForMappingStmt: for_mapping(static_cast<const ForMappingStmt&>(*stmt)); return;
    case StmtKind::WhileStmt: {
        const auto& s = static_cast<const WhileStmt&>(*stmt);
        put("while "), expr(s.condition), block(s.body);
        return;
    }
    case StmtKind::BreakStmt: put("break"); break;
    case StmtKind::ContinueStmt: put("continue"); break;
    case StmtKind::IfStmt: if_else(static_cast<const IfStmt&>(*stmt)); return;
    case StmtKind::AssertStmt: {
        const auto& s = static_cast<const AssertStmt&>(*stmt);
        put("assert "), expr(s.condition), put(", "), put(quote(s.message));
        break;
    }
    case StmtKind::AsmStmt: assembly(static_cast<const AsmStmt&>(*stmt)); break;
    case StmtKind::CommentStmt: comment(static_cast<const CommentStmt&>(*stmt).text); break;
    case StmtKind::LaunchStmt: launch(static_cast<const LaunchStmt&>(*stmt)); break;
    case StmtKind::SeqStmt: break; // has no line of its own
    }
    end_line();
}

void Printer::function(const Function& f) {
    m_function = &f;
    m_names.begin_function();
    begin_line(f.origin);
    put("def "), name(f.name), put("(");
    for (const VarRef& param : f.params) // so that a type that mentions a later parameter does not name it first
        m_names.name_of(*param);
    separated(f.params, [&](const VarRef& param) { definition(*param); });
    put(")");
    if (!f.ret || f.ret->kind != Kind::VoidType)
        put(" -> "), type(f.ret);
    put(":"), end_line();
    ++m_indent;
    attribute(f, "func_kind"), put(quote(func_kind_name(f.func_kind))), end_line();
    dims(f, "cuda.grid_dim", f.grid_dim);
    dims(f, "cuda.cluster_dim", f.cluster_dim);
    dims(f, "cuda.block_dim", f.block_dim);
    if (f.dynamic_smem_bytes)
        attribute(f, "cuda.dynamic_smem_bytes"), expr(f.dynamic_smem_bytes), end_line();
    if (f.min_blocks != 0)
        attribute(f, "cuda.min_blocks"), put(std::to_string(f.min_blocks)), end_line();
    if (f.wide_access)
        attribute(f, "cuda.wide_access"), put("True"), end_line();
    if (!f.label.empty())
        attribute(f, "label"), put(quote(f.label)), end_line();
    stmt(f.body);
    --m_indent;
}

void Printer::module(const Module& m) {
    const std::string options = m.options.empty() ? "" : " options " + quote(m.options);
    line(m.origin, cat("module ", quote(m.name), " level ", level_name(m.level), options));
    if (!m.globals.empty() || !m.externs.empty())
        line(Origin{}, "");
    for (const VarRef& var : m.globals)
        begin_line(var->origin), put("global "), definition(*var), end_line();
    for (const VarRef& var : m.externs)
        begin_line(var->origin), put("extern "), name(var->name), put(": "), type(var->type), end_line();
    for (const FunctionRef& f : m.functions) {
        line(Origin{}, "");
        function(*f);
    }
}

void Printer::node(const Node& node) {
    switch (family_of(node)) {
    case Family::Type: return type(TypeRef(static_cast<const Type*>(&node)));
    case Family::Layout: return layout(LayoutRef(static_cast<const Layout*>(&node)));
    case Family::Mapping: return mapping(MappingRef(static_cast<const Mapping*>(&node)));
    case Family::Expr: return expr(ExprRef(static_cast<const Expr*>(&node)));
    case Family::Stmt: return stmt(StmtRef(static_cast<const Stmt*>(&node)));
    case Family::Top: break;
    }
    if (node.kind == Kind::Function)
        return function(static_cast<const Function&>(node));
    module(static_cast<const Module&>(node));
}

void OriginWriter::begin_line(Origin origin) {
    m_text.line_origins.push_back(origin);
    m_text.text.append(static_cast<std::size_t>(m_indent) * 4, ' ');
    m_origin = origin;
    m_begin = m_text.text.size();
}

void OriginWriter::end_line() {
    end_range();
    m_origin = {};
    m_text.text += '\n';
}

void OriginWriter::go_to(Origin origin) {
    if (origin == m_origin)
        return;
    end_range();
    m_origin = origin;
}

void OriginWriter::end_range() {
    if (m_text.text.size() > m_begin && m_origin.known())
        m_text.tokens.push_back(
            {static_cast<std::uint32_t>(m_begin), static_cast<std::uint32_t>(m_text.text.size()), m_origin});
    m_begin = m_text.text.size();
}

void OriginWriter::line(Origin origin, std::string_view text) {
    if (!text.empty())
        begin_line(origin);
    else
        m_text.line_origins.push_back(origin);
    put(text), end_line();
}

void Printer::block(const StmtRef& body) {
    put(":"), end_line();
    ++m_indent;
    stmt(body);
    --m_indent;
}

void Printer::list(const ExprVec& exprs) {
    separated(exprs, [&](const ExprRef& item) { expr(item); });
}

void Printer::call(std::string_view name, const ExprVec& args) {
    put(name), put("("), list(args), put(")");
}

void Printer::integers(const std::vector<std::int64_t>& values) {
    put("["), separated(values, [&](std::int64_t value) { put(std::to_string(value)); }), put("]");
}

void Printer::name(const std::string& name) {
    put(is_identifier(name) ? name : quote(name));
}

void Printer::definition(const Var& var) {
    put(m_names.name_of(var)), put(": "), type(var.type);
}

// A name is a person's where it came from a script and no pass made it.
void Printer::own_definition(const Var& var) {
    definition(var);
    if (!m_function || (var.origin.known() && var.origin.pass == 0))
        return;
    std::string& out = m_text.temporaries;
    if (std::exchange(m_with_temporaries, m_function) == m_function)
        out += ", ";
    else
        out += cat(out.empty() ? "" : "; ", m_function->name, ": ");
    out += m_names.name_of(var);
}

void Printer::declare(const DeclareStmt& s) {
    put(s.is_let ? "let " : "declare ");
    if (s.scope != Scope::Default)
        put(scope_name(s.scope)), put(" ");
    put(s.is_static ? "static " : ""), own_definition(*s.var);
    if (s.init)
        put(" = "), expr(s.init);
}

void Printer::loop_var(const Var& var) {
    put(m_names.name_of(var));
    if (scalar_of(var.type) != DType::I32)
        put(": "), type(var.type);
}

void Printer::for_loop(const ForStmt& s) {
    put("for "), loop_var(*s.var), put(" in range("), expr(s.extent);
    if (s.attr != LoopAttr{})
        put(", attr="), put(quote(to_string(s.attr)));
    put(")"), block(s.body);
}

void Printer::for_mapping(const ForMappingStmt& s) {
    put("for ");
    separated(s.vars, [&](const VarRef& var) { loop_var(*var); });
    put(s.vars.empty() ? "() in " : " in "), mapping(s.mapping), put(" on "), expr(s.worker), block(s.body);
}

void Printer::if_else(const IfStmt& s) {
    const IfStmt* branch = &s;
    put("if ");
    for (;;) {
        expr(branch->condition), block(branch->then_body);
        const auto* next = as<IfStmt>(branch->else_body);
        if (!next)
            break;
        begin_line(next->origin), put("elif ");
        branch = next;
    }
    if (!branch->else_body)
        return;
    begin_line(branch->origin), put("else"), block(branch->else_body);
}

void Printer::labels(const std::vector<std::string>& labels) {
    put("["), separated(labels, [&](const std::string& label) { put(quote(label)); }), put("]");
}

void Printer::assembly(const AsmStmt& s) {
    put("asm("), put(quote(s.text)), put(", outputs="), labels(s.output_labels), put("("), list(s.outputs);
    put("), inputs="), labels(s.input_labels), put("("), list(s.inputs), put(")");
    put(s.is_volatile ? ", volatile" : ""), put(s.memory_fence ? ", memory)" : ")");
}

void Printer::comment(const std::string& text) {
    bool is_plain = !text.empty() && text.front() != ' ' && text.back() != ' ' && quote(text).size() == text.size() + 2;
    is_plain = is_plain && text.find('\\') == std::string::npos;
    put(is_plain ? "# " + text : "comment(" + quote(text) + ")");
}

void Printer::launch(const LaunchStmt& s) {
    put("launch "), put(is_identifier(s.kernel) && !is_reserved(s.kernel) ? s.kernel : quote(s.kernel));
    call("", s.args);
    put(", grid=["), list(s.grid), put("], cluster=["), list(s.cluster), put("], block=["), list(s.block), put("]");
    if (s.dynamic_smem_bytes)
        put(", dynamic_smem_bytes="), expr(s.dynamic_smem_bytes);
}

void Printer::attribute(const Function& f, std::string_view name) {
    begin_line(f.origin), put("attrs."), put(name), put(" = ");
}

void Printer::dims(const Function& f, std::string_view name, const ExprVec& dims) {
    if (dims.empty())
        return;
    const ExprRef& first = dims.front();
    begin_line(first && first->origin.known() ? first->origin : f.origin);
    put("attrs."), put(name), put(" = "), list(dims), end_line();
}

PrintedText print_module(const Module& module) {
    Printer printer(&module);
    printer.module(module);
    return printer.take();
}

PrintedText print_function(const Function& function) {
    Printer printer;
    printer.function(function);
    return printer.take();
}

std::string to_string(const NodeRef& node) {
    if (!node)
        return "null";
    Printer printer;
    printer.node(*node);
    return printer.take().text;
}

} // namespace hidet::ir
