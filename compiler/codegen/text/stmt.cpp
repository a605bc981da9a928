// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/text/emitter.h"
#include "compiler/ir/family.h"
#include "lang/base/check.h"

namespace hidet::compiler::text {

using namespace ir;

void Emitter::stmt(const StmtRef& s) {
    if (!s)
        return;
    if (const auto* sequence = as<SeqStmt>(s))
        return seq(*sequence);
    Writer::At at(m_out, s->origin);
    m_kept.clear();
    switch (kind_of(*s)) {
    case StmtKind::EvaluateStmt: return evaluate(static_cast<const EvaluateStmt&>(*s).value);
    case StmtKind::DeclareStmt: return declare(static_cast<const DeclareStmt&>(*s));
    case StmtKind::StoreStmt: return store_stmt(static_cast<const StoreStmt&>(*s));
    case StmtKind::AssignStmt: return assign_stmt(static_cast<const AssignStmt&>(*s));
    case StmtKind::ReturnStmt: return return_stmt(static_cast<const ReturnStmt&>(*s));
    case StmtKind::ForStmt: return for_loop(static_cast<const ForStmt&>(*s));
    case StmtKind::WhileStmt: return while_loop(static_cast<const WhileStmt&>(*s));
    case StmtKind::BreakStmt:
    case StmtKind::ContinueStmt: return leave_loop(*s);
    case StmtKind::IfStmt: return if_else(static_cast<const IfStmt&>(*s));
    case StmtKind::AssertStmt: return assert_stmt(static_cast<const AssertStmt&>(*s));
    case StmtKind::AsmStmt: return asm_stmt(static_cast<const AsmStmt&>(*s));
    case StmtKind::CommentStmt: return comment(static_cast<const CommentStmt&>(*s).text);
    case StmtKind::LaunchStmt: return unsupported(*s, "the launch of a kernel");
    case StmtKind::ForMappingStmt: return unsupported(*s, cat("a ", kind_name(s->kind)));
    case StmtKind::SeqStmt: return; // above
    }
}

void Emitter::end_statement() {
    put(";");
    m_out.end_line();
}

void Emitter::assigned(const ExprRef& value, const Binary* compound) {
    if (compound) {
        Writer::At at(m_out, compound->origin);
        put(compound->op == BinOp::Mul ? " *= " : compound->op == BinOp::Add ? " += " : " -= ");
        expr(compound->b);
    } else {
        put(" = ");
        expr(value);
    }
    end_statement();
}

void Emitter::assign_stmt(const AssignStmt& s) {
    m_out.begin_line();
    expr(s.var);
    assigned(s.value, compound_of(s, m_legal));
}

void Emitter::store_stmt(const StoreStmt& s) {
    HIDET_CHECK(s.indices.size() == 1 && !s.is_protected, "a store that was not lowered");
    m_out.begin_line();
    place(s.base);
    put("["), expr(s.indices[0]), put("]");
    assigned(s.value, compound_of(s, m_uses, m_legal));
}

void Emitter::while_loop(const WhileStmt& s) {
    m_out.begin_line();
    put("while ("), expr(s.condition), put(")");
    block(s.body);
}

void Emitter::for_loop(const ForStmt& s) {
    const std::size_t names = m_names.mark();
    m_out.begin_line();
    loop_head(s);
    block(s.body);
    m_names.restore(names);
}

void Emitter::leave_loop(const Stmt& s) {
    line(s.kind == Kind::BreakStmt ? "break;" : "continue;");
}

void Emitter::seq(const SeqStmt& s) {
    for (const StmtRef& item : s.stmts)
        stmt(item);
}

void Emitter::block(const StmtRef& body) {
    block_without_end(body);
    m_out.end_line();
}

void Emitter::block_without_end(const StmtRef& body) {
    std::size_t names = m_names.mark();
    put(" {");
    m_out.end_line();
    m_out.indent();
    stmt(body);
    m_out.dedent();
    m_out.begin_line();
    put("}");
    m_names.restore(names);
}

void Emitter::if_else(const IfStmt& s) {
    const IfStmt* branch = &s;
    m_out.begin_line();
    for (;;) {
        put("if ("), expr(branch->condition), put(") {");
        m_out.end_line();
        body_if(branch->then_body);
        if (!branch->else_body)
            break;
        m_out.begin_line();
        put("} else ");
        const auto* next = as<IfStmt>(branch->else_body);
        if (!next) {
            put("{");
            m_out.end_line();
            body_if(branch->else_body);
            break;
        }
        branch = next;
    }
    line("}");
}

void Emitter::body_if(const StmtRef& body) {
    std::size_t names = m_names.mark();
    m_out.indent();
    stmt(body);
    m_out.dedent();
    m_names.restore(names);
}

void Emitter::evaluate(const ExprRef& value) {
    if (value->kind == Kind::Constant)
        return;
    m_out.begin_line();
    if (value->kind != Kind::Call && value->kind != Kind::Intrinsic)
        put("(void)"), expr(value, Level::Prefix);
    else
        expr(value);
    end_statement();
}

void Emitter::return_stmt(const ReturnStmt& s) {
    m_out.begin_line();
    put(s.value ? "return " : "return");
    if (s.value)
        expr(s.value);
    end_statement();
}

// ---- declarations -------------------------------------------------------------------------------------------------------

void Emitter::declare(const DeclareStmt& s) {
    const bool holds_slots = is_array(s.var->type);
    if (holds_slots && !s.init) {
        auto count = count_of(s.var->type);
        if (!count)
            return unsupported(*s.var, cat("the tensor '", s.var->name, "', whose shape is not constant"));
        return declare_array(s, *count);
    }
    if (is_special_declaration(s))
        return declare_array(s, 0);
    m_out.begin_line();
    TypeRef declared = holds_slots ? pointer_type(element_of(s.var->type)) : s.var->type;
    std::string name = m_names.define(*s.var);
    bool is_const = s.is_let && scalar_of(declared) && declared->kind == Kind::DataType;
    put(cat(s.is_static ? "static " : "", is_const ? "const " : "", declarator(declared, name, *s.var)));
    if (s.init) {
        put(" = ");
        expr(s.init);
    }
    end_statement();
}

std::optional<std::int64_t> Emitter::count_of(const TypeRef& type) {
    if (const auto* array = as<ArrayType>(type))
        return array->count;
    const TensorType* tensor = tensor_of(type);
    return tensor && tensor->shape.size() == 1 ? constant_int(tensor->shape[0]) : std::nullopt;
}

// ---- loops --------------------------------------------------------------------------------------------------------------

// "for (int i = 0; i < n; ++i)"; an extent that may change in the loop is kept in a variable of its own.
void Emitter::loop_head(const ForStmt& s) {
    bool is_fixed = effect_of(s.extent, m_uses) == Effect::None;
    std::string limit = is_fixed ? "" : m_names.add(s.var->name + "_end");
    put(cat("for (", type(s.var->type, *s.var), " "));
    std::string name = m_names.define(*s.var);
    put(cat(name, " = 0"));
    if (!is_fixed) {
        put(cat(", ", limit, " = "));
        expr(s.extent);
    }
    put(cat("; ", name, " < "));
    if (is_fixed)
        expr(s.extent, Level::Sum);
    else
        put(limit);
    put(cat("; ++", name, ")"));
}

bool Emitter::wants_unrolling(const ForStmt& s) const {
    auto extent = constant_int(s.extent);
    return extent && *extent <= 64 && m_array_indices.contains(s.var.get());
}

// ---- text of the script's author --------------------------------------------------------------------------------------

void Emitter::comment(std::string_view text) {
    for (std::size_t at = 0; at <= text.size();) {
        std::size_t end = std::min(text.find('\n', at), text.size());
        m_out.begin_line();
        const std::string row = comment_text(text.substr(at, end - at));
        m_out.token(row.empty() ? "//" : "// " + row);
        m_out.end_line();
        at = end + 1;
    }
}

} // namespace hidet::compiler::text
