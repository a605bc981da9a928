// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/print.h"

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/names.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "lang/base/text.h"

namespace hidet::ir {

namespace {

class Printer {
public:
    explicit Printer(const Module* module = nullptr) : m_module(module) {
        if (module)
            for (const VarVec* vars : {&module->globals, &module->externs})
                for (const VarRef& var : *vars)
                    m_names.add_global(*var);
    }

    PrintedText take() { return {std::move(m_out), std::move(m_origins), std::move(m_ranges)}; }

    // ---- types ---------------------------------------------------------------------------------------------------------

    void type(const TypeRef& type) {
        if (!type)
            return put("null");
        switch (type->kind) {
        case Kind::DataType: return put(info(static_cast<const DataType&>(*type).dtype).short_name);
        case Kind::TensorType: return tensor_type(static_cast<const TensorType&>(*type));
        case Kind::PointerType: return prefixed("~", static_cast<const PointerType&>(*type).base);
        case Kind::TensorPointerType:
            put("*");
            return tensor_type(*static_cast<const TensorPointerType&>(*type).tensor);
        case Kind::ReferenceType: return prefixed("&", static_cast<const ReferenceType&>(*type).base);
        case Kind::ArrayType: {
            const auto& t = static_cast<const ArrayType&>(*type);
            put("array(");
            this->type(t.base);
            return put(", "), put(std::to_string(t.count)), put(")");
        }
        case Kind::VoidType: return put("void");
        case Kind::StringType: return put("str");
        case Kind::FuncType: return func_type(static_cast<const FuncType&>(*type));
        case Kind::OpaqueType: return opaque_type(static_cast<const OpaqueType&>(*type));
        default: return put("null");
        }
    }

    // ---- layouts and mappings ----------------------------------------------------------------------------------------------

    void layout(const LayoutRef& layout) {
        switch (layout->kind) {
        case Kind::StridesLayout: return strides_layout(layout);
        case Kind::LocalLayout: return call("local", static_cast<const LocalLayout&>(*layout).shape);
        case Kind::ComposedLayout: {
            const auto& l = static_cast<const ComposedLayout&>(*layout);
            return pair("compose", l.outer, l.inner);
        }
        case Kind::ConcatLayout: {
            const auto& l = static_cast<const ConcatLayout&>(*layout);
            return pair("concat", l.first, l.second);
        }
        case Kind::SwizzleLayout: {
            const auto& l = static_cast<const SwizzleLayout&>(*layout);
            put("swizzle("), this->layout(l.base);
            return put(cat(", dim=", l.dim, ", regards=", l.regards, ", log_step=", l.log_step, ")"));
        }
        case Kind::PermuteLayout: {
            const auto& l = static_cast<const PermuteLayout&>(*layout);
            put("permute("), this->layout(l.base), put(", "), integers(l.perm);
            return put(")");
        }
        case Kind::ReshapeLayout: {
            const auto& l = static_cast<const ReshapeLayout&>(*layout);
            put("reshape("), this->layout(l.base), put(", [");
            return list(l.shape), put("])");
        }
        default: return put("null");
        }
    }

    void mapping(const MappingRef& mapping) {
        switch (mapping->kind) {
        case Kind::SpatialMapping: {
            const auto& m = static_cast<const SpatialMapping&>(*mapping);
            put("spatial("), list(m.shape), ranks(m.ranks, m.shape.empty());
            return put(")");
        }
        case Kind::RepeatMapping: return repeat_mapping(static_cast<const RepeatMapping&>(*mapping));
        case Kind::ComposedMapping: {
            const auto& m = static_cast<const ComposedMapping&>(*mapping);
            bool is_chain = m.inner->kind == Kind::SpatialMapping || m.inner->kind == Kind::RepeatMapping;
            if (!is_chain)
                put("compose(");
            this->mapping(m.outer), put(is_chain ? "." : ", "), this->mapping(m.inner);
            return put(is_chain ? "" : ")");
        }
        case Kind::ProjectedMapping: {
            const auto& m = static_cast<const ProjectedMapping&>(*mapping);
            put("project("), this->mapping(m.base), put(", "), integers(m.dims);
            return put(")");
        }
        default: return put("null");
        }
    }

    // ---- expressions -----------------------------------------------------------------------------------------------------

    void expr(const ExprRef& expr, Precedence place = Precedence::Or) {
        if (!expr)
            return put("null");
        At at(*this, expr->kind == Kind::Var ? Origin{} : expr->origin);
        switch (expr->kind) {
        case Kind::Var: return put(m_names.name_of(static_cast<const Var&>(*expr)));
        case Kind::SymbolVar: return symbol(static_cast<const SymbolVar&>(*expr));
        case Kind::BuiltinVar: return put(builtin_name(static_cast<const BuiltinVar&>(*expr).which));
        case Kind::Constant: return constant(static_cast<const Constant&>(*expr));
        case Kind::Unary: return unary(static_cast<const Unary&>(*expr), place);
        case Kind::Binary: return binary(static_cast<const Binary&>(*expr), place);
        case Kind::TensorElement: {
            const auto& e = static_cast<const TensorElement&>(*expr);
            return element(e.base, e.indices, e.is_protected);
        }
        case Kind::TensorSlice: return slice(static_cast<const TensorSlice&>(*expr));
        case Kind::Call: return function_call(static_cast<const Call&>(*expr));
        case Kind::Intrinsic: return intrinsic(static_cast<const Intrinsic&>(*expr));
        case Kind::Let: {
            const auto& e = static_cast<const Let&>(*expr);
            put("(let "), definition(*e.var), put(" = "), this->expr(e.value), put(" in "), this->expr(e.body);
            return put(")");
        }
        case Kind::Cast:
            put("cast("), this->expr(static_cast<const Cast&>(*expr).a), put(", "), type(expr->type);
            return put(")");
        case Kind::Select: {
            const auto& e = static_cast<const Select&>(*expr);
            put("("), this->expr(e.a), put(" if "), this->expr(e.condition), put(" else "), this->expr(e.b);
            return put(")");
        }
        case Kind::Deref: return prefixed("*", static_cast<const Deref&>(*expr).pointer, place);
        case Kind::Address: return prefixed("&", static_cast<const Address&>(*expr).place, place);
        default: return put("null");
        }
    }

    // ---- statements ------------------------------------------------------------------------------------------------------

    void stmt(const StmtRef& stmt) {
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
        switch (stmt->kind) {
        case Kind::EvaluateStmt: expr(static_cast<const EvaluateStmt&>(*stmt).value); break;
        case Kind::DeclareStmt: declare(static_cast<const DeclareStmt&>(*stmt)); break;
        case Kind::StoreStmt: {
            const auto& s = static_cast<const StoreStmt&>(*stmt);
            element(s.base, s.indices, s.is_protected), put(" = "), expr(s.value);
            break;
        }
        case Kind::AssignStmt: {
            const auto& s = static_cast<const AssignStmt&>(*stmt);
            expr(s.var), put(" = "), expr(s.value);
            break;
        }
        case Kind::ReturnStmt: {
            const auto& s = static_cast<const ReturnStmt&>(*stmt);
            put(s.value ? "return " : "return");
            if (s.value)
                expr(s.value);
            break;
        }
        case Kind::ForStmt: for_loop(static_cast<const ForStmt&>(*stmt)); return;
        case Kind::ForMappingStmt: for_mapping(static_cast<const ForMappingStmt&>(*stmt)); return;
        case Kind::WhileStmt: {
            const auto& s = static_cast<const WhileStmt&>(*stmt);
            put("while "), expr(s.condition), block(s.body);
            return;
        }
        case Kind::BreakStmt: put("break"); break;
        case Kind::ContinueStmt: put("continue"); break;
        case Kind::IfStmt: if_else(static_cast<const IfStmt&>(*stmt)); return;
        case Kind::AssertStmt: {
            const auto& s = static_cast<const AssertStmt&>(*stmt);
            put("assert "), expr(s.condition), put(", "), put(quote(s.message));
            break;
        }
        case Kind::AsmStmt: assembly(static_cast<const AsmStmt&>(*stmt)); break;
        case Kind::BlackBoxStmt: {
            const auto& s = static_cast<const BlackBoxStmt&>(*stmt);
            put("blackbox("), put(quote(s.text)), more(s.args), put(")");
            break;
        }
        case Kind::CommentStmt: comment(static_cast<const CommentStmt&>(*stmt).text); break;
        case Kind::LaunchStmt: launch(static_cast<const LaunchStmt&>(*stmt)); break;
        default: put("null");
        }
        end_line();
    }

    // ---- functions and modules -----------------------------------------------------------------------------------------

    void function(const Function& f) {
        m_names.begin_function();
        begin_line(f.origin);
        put("def "), put(is_identifier(f.name) ? f.name : quote(f.name)), put("(");
        name_params(f);
        for (std::size_t i = 0; i < f.params.size(); ++i)
            put(i ? ", " : ""), definition(*f.params[i]);
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
        if (!f.label.empty())
            attribute(f, "label"), put(quote(f.label)), end_line();
        stmt(f.body);
        --m_indent;
    }

    void module(const Module& m) {
        line(m.origin, cat("module ", quote(m.name), " level ", level_name(m.level)));
        if (!m.globals.empty() || !m.externs.empty())
            line(Origin{}, "");
        for (const VarRef& var : m.globals)
            begin_line(var->origin), put("global "), definition(*var), end_line();
        for (const VarRef& var : m.externs) {
            begin_line(var->origin), put("extern "), put(is_identifier(var->name) ? var->name : quote(var->name));
            put(": "), type(var->type), end_line();
        }
        for (const FunctionRef& f : m.functions) {
            line(Origin{}, "");
            function(*f);
        }
    }

    void node(const Node& node) {
        if (node.kind <= Kind::OpaqueType)
            return type(TypeRef(static_cast<const Type*>(&node)));
        if (node.kind <= Kind::ReshapeLayout)
            return layout(LayoutRef(static_cast<const Layout*>(&node)));
        if (node.kind <= Kind::ProjectedMapping)
            return mapping(MappingRef(static_cast<const Mapping*>(&node)));
        if (node.kind <= Kind::Address)
            return expr(ExprRef(static_cast<const Expr*>(&node)));
        if (node.kind <= Kind::LaunchStmt)
            return stmt(StmtRef(static_cast<const Stmt*>(&node)));
        if (node.kind == Kind::Function)
            return function(static_cast<const Function&>(node));
        module(static_cast<const Module&>(node));
    }

private:
    void put(std::string_view text) { m_out += text; }
    void begin_line(Origin origin) {
        m_origins.push_back(origin);
        m_out.append(static_cast<std::size_t>(m_indent) * 4, ' ');
        m_origin = origin;
        m_begin = m_out.size();
    }
    void end_line() {
        end_range();
        m_origin = {};
        m_out += '\n';
    }

    // What is printed while it lives has this origin, unless that is unknown.
    class At {
    public:
        At(Printer& printer, Origin origin) : m_printer(printer), m_outer(printer.m_origin) {
            if (origin.known())
                printer.go_to(origin);
        }
        ~At() { m_printer.go_to(m_outer); }
        At(const At&) = delete;

    private:
        Printer& m_printer;
        Origin m_outer;
    };
    void go_to(Origin origin) {
        if (origin == m_origin)
            return;
        end_range();
        m_origin = origin;
    }
    void end_range() {
        if (m_out.size() > m_begin && m_origin.known())
            m_ranges.push_back(
                {static_cast<std::uint32_t>(m_begin), static_cast<std::uint32_t>(m_out.size()), m_origin});
        m_begin = m_out.size();
    }
    void line(Origin origin, std::string_view text) {
        if (!text.empty())
            begin_line(origin);
        else
            m_origins.push_back(origin);
        put(text), end_line();
    }
    void block(const StmtRef& body) {
        put(":"), end_line();
        ++m_indent;
        stmt(body);
        --m_indent;
    }

    void list(const ExprVec& exprs) {
        for (std::size_t i = 0; i < exprs.size(); ++i)
            put(i ? ", " : ""), expr(exprs[i]);
    }
    void more(const ExprVec& exprs) {
        for (const ExprRef& item : exprs)
            put(", "), expr(item);
    }
    void call(std::string_view name, const ExprVec& args) { put(name), put("("), list(args), put(")"); }
    void integers(const std::vector<std::int64_t>& values) {
        put("[");
        for (std::size_t i = 0; i < values.size(); ++i)
            put(i ? ", " : ""), put(std::to_string(values[i]));
        put("]");
    }
    void definition(const Var& var) { put(m_names.name_of(var)), put(": "), type(var.type); }

    // ---- parts of types, layouts and mappings --------------------------------------------------------------------------------

    void prefixed(std::string_view mark, const TypeRef& base) { put(mark), atom_type(base); }
    // A type whose text may not be followed by a suffix or preceded by a prefix is parenthesised.
    void atom_type(const TypeRef& type) {
        bool is_wide = type && (type->kind == Kind::FuncType || type->kind == Kind::TensorType);
        put(is_wide ? "(" : ""), this->type(type), put(is_wide ? ")" : "");
    }
    void tensor_type(const TensorType& t) {
        bool is_simple = t.element && t.element->kind == Kind::DataType;
        put(is_simple ? "" : "("), type(t.element), put(is_simple ? "[" : ")["), list(t.shape);
        if (t.layout)
            put("; "), layout(t.layout);
        put("]");
    }
    void func_type(const FuncType& t) {
        put("(");
        for (std::size_t i = 0; i < t.params.size(); ++i)
            put(i ? ", " : ""), type(t.params[i]);
        put(") -> "), atom_type(t.ret);
    }
    void opaque_type(const OpaqueType& t) {
        put("opaque("), put(quote(t.name));
        for (const std::string& modifier : t.modifiers)
            put(", "), put(quote(modifier));
        put(")");
    }
    void pair(std::string_view name, const LayoutRef& a, const LayoutRef& b) {
        put(name), put("("), layout(a), put(", "), layout(b), put(")");
    }
    void strides_layout(const LayoutRef& layout) {
        const auto& l = static_cast<const StridesLayout&>(*layout);
        if (is_row_major(layout))
            return call("row", l.shape);
        if (structural_equal(layout, column_major(l.shape)))
            return call("column", l.shape);
        put("strides(["), list(l.shape), put("], ["), list(l.strides), put("])");
    }
    void ranks(const std::vector<std::int64_t>& ranks, bool is_first) {
        bool is_row_order = true;
        for (std::size_t d = 0; d < ranks.size(); ++d)
            is_row_order = is_row_order && ranks[d] == static_cast<std::int64_t>(d);
        if (is_row_order)
            return;
        put(is_first ? "ranks=" : ", ranks="), integers(ranks);
    }
    void repeat_mapping(const RepeatMapping& m) {
        put("repeat("), list(m.shape), ranks(m.ranks, m.shape.empty());
        const auto automatic = as<RepeatMapping>(repeat(m.shape))->attrs;
        if (m.attrs != automatic) {
            std::string text;
            for (const LoopAttr& attr : m.attrs)
                text += (text.empty() ? "" : " ") + to_string(attr);
            put(", attrs="), put(quote(text));
        }
        put(")");
    }

    // ---- parts of expressions --------------------------------------------------------------------------------------------

    void symbol(const SymbolVar& e) {
        if (is_identifier(e.name) && scalar_of(e.type) == DType::I32)
            return put("@"), put(e.name);
        put("symbol("), put(quote(e.name)), put(", "), type(e.type), put(")");
    }

    static std::string number(const ConstantValue& value, bool is_f32) {
        if (const auto* integer = std::get_if<std::int64_t>(&value))
            return std::to_string(*integer);
        if (const auto* real = std::get_if<double>(&value))
            return is_f32 && static_cast<float>(*real) == *real ? shortest_float(static_cast<float>(*real))
                                                                : shortest(*real);
        return quote(std::get<std::string>(value));
    }
    void constant(const Constant& e) {
        const auto* data = as<DataType>(e.type);
        bool is_int = std::holds_alternative<std::int64_t>(e.value);
        bool is_real = std::holds_alternative<double>(e.value);
        if (!is_int && !is_real && e.type->kind == Kind::StringType)
            return put(number(e.value, false));
        bool fits = data && ((is_int && (is_integer(data->dtype) || is_subbyte(data->dtype))) ||
                             (is_real && is_float(data->dtype)));
        if (!fits) {
            put("constant("), put(number(e.value, false)), put(", "), type(e.type);
            return put(")");
        }
        std::string text = number(e.value, data->dtype == DType::F32);
        bool is_word = text.back() == 'f' || text.back() == 'n'; // inf, nan
        if (data->dtype == DType::Bool)
            return put(text == "0" ? "False" : "True");
        if (data->dtype == DType::I32 || (data->dtype == DType::F32 && !is_word))
            return put(text);
        if (data->dtype == DType::U64 && text.front() == '-')
            text = std::to_string(static_cast<std::uint64_t>(std::get<std::int64_t>(e.value)));
        put(info(data->dtype).short_name), put("("), put(text), put(")");
    }

    void enclosed(const ExprRef& e, bool in_parentheses) {
        put(in_parentheses ? "(" : ""), expr(e), put(in_parentheses ? ")" : "");
    }
    void unary(const Unary& e, Precedence place) {
        if (e.op == UnOp::BitNot)
            return put("bitwise_not("), expr(e.a), put(")");
        Precedence own = e.op == UnOp::Not ? Precedence::Not : Precedence::Unary;
        bool in_parentheses = place > own;
        put(in_parentheses ? "(" : "");
        put(e.op == UnOp::Not ? "not " : "-");
        if (e.op == UnOp::Neg && e.a && e.a->kind == Kind::Constant)
            enclosed(e.a, true); // "-5" is a constant
        else
            expr(e.a, own);
        put(in_parentheses ? ")" : "");
    }
    void binary(const Binary& e, Precedence place) {
        Precedence own = precedence_of(e.op);
        auto tighter = static_cast<Precedence>(static_cast<int>(own) + 1);
        bool in_parentheses = place > own;
        put(in_parentheses ? "(" : "");
        expr(e.a, own == Precedence::Comparison ? tighter : own); // comparisons do not chain
        put(" "), put(spelling(e.op)), put(" ");
        expr(e.b, tighter);
        put(in_parentheses ? ")" : "");
    }
    void prefixed(std::string_view mark, const ExprRef& operand, Precedence place) {
        bool in_parentheses = place > Precedence::Unary;
        put(in_parentheses ? "(" : ""), put(mark), expr(operand, Precedence::Unary), put(in_parentheses ? ")" : "");
    }
    void element(const ExprRef& base, const ExprVec& indices, bool is_protected) {
        expr(base, Precedence::Primary), put(is_protected ? ".protect[" : "["), list(indices), put("]");
    }
    void slice(const TensorSlice& e) {
        bool has_range = false;
        for (const ExprRef& index : e.indices)
            has_range = has_range || !index;
        expr(e.base, Precedence::Primary), put(has_range ? "[" : ".slice[");
        for (std::size_t i = 0; i < e.indices.size(); ++i) {
            put(i ? ", " : "");
            if (e.indices[i]) {
                expr(e.indices[i]);
                continue;
            }
            if (e.starts[i])
                expr(e.starts[i]);
            put(":");
            if (e.stops[i])
                expr(e.stops[i]);
        }
        put("]");
    }
    // Whether a reader of the module can tell the type of a plain call.
    bool has_known_type(const Call& e) const {
        if (!m_module)
            return is_identifier(e.callee);
        if (!is_identifier(e.callee) || is_reserved(e.callee))
            return false;
        auto is_type = [&](const TypeRef& ret) { return ret && is_closed(ret) && same_type(ret, e.type); };
        if (const Function* f = find_function(*m_module, e.callee))
            return is_type(f->ret);
        for (const VarRef& var : m_module->externs)
            if (const auto* type = as<FuncType>(var->type); type && var->name == e.callee)
                return is_type(type->ret);
        return false;
    }
    static bool is_closed(const TypeRef& type) {
        bool closed = type->kind != Kind::TensorType && type->kind != Kind::TensorPointerType;
        for_each_child(*type, [&](const Node* child) {
            closed = closed && child && is_closed(TypeRef(static_cast<const Type*>(child)));
        });
        return closed;
    }
    void function_call(const Call& e) {
        if (has_known_type(e))
            return call(e.callee, e.args);
        put("call("), put(quote(e.callee)), put(", "), type(e.type), more(e.args), put(")");
    }
    void intrinsic(const Intrinsic& e) {
        const IntrinsicInfo& row = info(e.id);
        put(row.name), put("("), list(e.args);
        std::string_view separator = e.args.empty() ? "" : ", ";
        if (std::string attr = to_text(e.attr); !attr.empty()) {
            put(separator), put("attr="), put(quote(attr));
            separator = ", ";
        }
        if (row.result.is_printed())
            put(separator), put("type="), type(e.type);
        put(")");
    }

    // ---- parts of statements -----------------------------------------------------------------------------------------------

    void declare(const DeclareStmt& s) {
        put(s.is_let ? "let " : "declare ");
        if (s.scope != Scope::Default)
            put(scope_name(s.scope)), put(" ");
        put(s.is_static ? "static " : ""), definition(*s.var);
        if (s.init)
            put(" = "), expr(s.init);
    }
    void loop_var(const Var& var) {
        put(m_names.name_of(var));
        if (scalar_of(var.type) != DType::I32)
            put(": "), type(var.type);
    }
    void for_loop(const ForStmt& s) {
        put("for "), loop_var(*s.var), put(" in range("), expr(s.extent);
        if (s.attr != LoopAttr{})
            put(", attr="), put(quote(to_string(s.attr)));
        put(")"), block(s.body);
    }
    void for_mapping(const ForMappingStmt& s) {
        put("for ");
        for (std::size_t i = 0; i < s.vars.size(); ++i)
            put(i ? ", " : ""), loop_var(*s.vars[i]);
        put(s.vars.empty() ? "() in " : " in "), mapping(s.mapping), put(" on "), expr(s.worker), block(s.body);
    }
    void if_else(const IfStmt& s) {
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
    void labels(const std::vector<std::string>& labels) {
        put("[");
        for (std::size_t i = 0; i < labels.size(); ++i)
            put(i ? ", " : ""), put(quote(labels[i]));
        put("]");
    }
    void assembly(const AsmStmt& s) {
        put("asm("), put(quote(s.text)), put(", outputs="), labels(s.output_labels), put("("), list(s.outputs);
        put("), inputs="), labels(s.input_labels), put("("), list(s.inputs), put(")");
        put(s.is_volatile ? ", volatile" : ""), put(s.memory_fence ? ", memory)" : ")");
    }
    void comment(const std::string& text) {
        bool is_plain =
            !text.empty() && text.front() != ' ' && text.back() != ' ' && quote(text).size() == text.size() + 2;
        is_plain = is_plain && text.find('\\') == std::string::npos;
        put(is_plain ? "# " + text : "comment(" + quote(text) + ")");
    }
    void launch(const LaunchStmt& s) {
        put("launch "), put(is_identifier(s.kernel) && !is_reserved(s.kernel) ? s.kernel : quote(s.kernel));
        call("", s.args);
        put(", grid=["), list(s.grid), put("], cluster=["), list(s.cluster), put("], block=["), list(s.block), put("]");
        if (s.dynamic_smem_bytes)
            put(", dynamic_smem_bytes="), expr(s.dynamic_smem_bytes);
    }

    // ---- parts of functions ----------------------------------------------------------------------------------------------

    void name_params(const Function& f) { // so that a type that mentions a later parameter does not name it first
        for (const VarRef& param : f.params)
            m_names.name_of(*param);
    }
    void attribute(const Function& f, std::string_view name) {
        begin_line(f.origin), put("attrs."), put(name), put(" = ");
    }
    void dims(const Function& f, std::string_view name, const ExprVec& dims) {
        if (dims.empty())
            return;
        const ExprRef& first = dims.front();
        begin_line(first && first->origin.known() ? first->origin : f.origin);
        put("attrs."), put(name), put(" = "), list(dims), end_line();
    }

    const Module* m_module;
    NameTable m_names;
    std::string m_out;
    std::vector<Origin> m_origins;
    std::vector<PrintedRange> m_ranges;
    Origin m_origin;         // of what is printed now
    std::size_t m_begin = 0; // of the range that is being printed
    int m_indent = 0;
};

} // namespace

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
