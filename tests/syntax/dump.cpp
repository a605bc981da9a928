// SPDX-License-Identifier: Apache-2.0
#include "tests/syntax/dump.h"

#include <cstdio>
#include <span>
#include <utility>

#include "lang/base/text.h"

namespace hidet::lang::ast {

namespace {

const char* python_name(BinaryOp op) {
    static const char* const names[] = {"Add",     "Sub",    "Mult",   "Div",    "FloorDiv", "Mod",   "Pow",
                                        "MatMult", "LShift", "RShift", "BitAnd", "BitOr",    "BitXor"};
    return names[static_cast<int>(op)];
}

const char* python_name(CompareOp op) {
    static const char* const names[] = {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "In", "NotIn", "Is", "IsNot"};
    return names[static_cast<int>(op)];
}

const char* python_name(UnaryOp op) {
    static const char* const names[] = {"UAdd", "USub", "Invert", "Not"};
    return names[static_cast<int>(op)];
}

enum class Context { Load, Store, Del };

// Expressions that stand where another context is than that of values.
template <class T>
struct In {
    T what; // one, or a list
    Context context;
};
template <class T>
In(T, Context) -> In<T>;

// Every value is written as TYPE(field, field, ...), lists in brackets and what is absent as None.
class Dumper {
public:
    std::string take() { return std::move(m_out); }

    // ---- expressions ----
    void operator()(const Name& n) { node("Name", quote(n.id), context()); }
    void operator()(const Constant& n) {
        switch (n.what) {
        case ConstantKind::None: return put("Constant(None)");
        case ConstantKind::True: return put("Constant(True)");
        case ConstantKind::False: return put("Constant(False)");
        case ConstantKind::Ellipsis: return put("Constant(Ellipsis)");
        case ConstantKind::Int: return node("Constant", n.too_big ? "big" : std::to_string(n.integer));
        case ConstantKind::Float: return node("Constant", hex(n.real));
        case ConstantKind::Imaginary: return node("Constant", hex(n.real) + "j");
        case ConstantKind::String: return node("Constant", "'" + bytes(n.text) + "'");
        case ConstantKind::Bytes: return node("Constant", "b'" + bytes(n.text) + "'");
        }
    }
    void operator()(const FString& n) { fstring(n); }
    void operator()(const Tuple& n) { node("Tuple", In{n.items, m_context}, context()); }
    void operator()(const List& n) { node("List", In{n.items, m_context}, context()); }
    void operator()(const Set& n) { node("Set", n.items); }
    void operator()(const Dict& n) { node("Dict", n.keys, n.values); }
    void operator()(const Unary& n) { node("UnaryOp", python_name(n.op), n.operand); }
    void operator()(const Binary& n) { node("BinOp", n.left, python_name(n.op), n.right); }
    void operator()(const BoolOp& n) { node("BoolOp", n.is_and ? "And" : "Or", n.operands); }
    void operator()(const Compare& n) { node("Compare", n.left, n.ops, n.rights); }
    void operator()(const Call& n) { node("Call", n.callee, n.args, n.keywords); }
    void operator()(const Attribute& n) { node("Attribute", n.object, quote(n.name.text), context()); }
    void operator()(const Subscript& n) { node("Subscript", n.object, n.index, context()); }
    void operator()(const Slice& n) { node("Slice", n.start, n.stop, n.step); }
    void operator()(const Starred& n) { node("Starred", In{n.value, m_context}, context()); }
    void operator()(const Lambda& n) { node("Lambda", n.params, n.body); }
    void operator()(const IfExp& n) { node("IfExp", n.condition, n.then_value, n.else_value); }
    void operator()(const Comprehension& n) {
        static const char* const names[] = {"ListComp", "SetComp", "DictComp", "GeneratorExp"};
        if (n.what == ComprehensionKind::Dict)
            return node("DictComp", n.element, n.value, n.clauses);
        node(names[static_cast<int>(n.what)], n.element, n.clauses);
    }
    void operator()(const NamedExpr& n) { node("NamedExpr", "Name(" + quote(n.name.text) + ", Store())", n.value); }
    void operator()(const Await& n) { node("Await", n.value); }
    void operator()(const Yield& n) { node(n.is_from ? "YieldFrom" : "Yield", n.value); }
    void operator()(const ErrorExpr&) { node("Error"); }

    // ---- statements ----
    void operator()(const ExprStmt& n) { node("Expr", n.value); }
    void operator()(const Assign& n) { node("Assign", In{n.targets, Context::Store}, n.value); }
    void operator()(const AugAssign& n) { node("AugAssign", In{n.target, Context::Store}, python_name(n.op), n.value); }
    void operator()(const AnnAssign& n) {
        const bool is_simple = n.target->kind == Kind::Name && !n.target->parenthesized;
        node("AnnAssign", In{n.target, Context::Store}, n.annotation, n.value, is_simple ? "1" : "0");
    }
    void operator()(const If& n) { node("If", n.condition, n.body, n.else_body); }
    void operator()(const While& n) { node("While", n.condition, n.body, n.else_body); }
    void operator()(const For& n) {
        node(n.is_async ? "AsyncFor" : "For", In{n.target, Context::Store}, n.iterable, n.body, n.else_body);
    }
    void operator()(const FunctionDef& n) {
        node(n.is_async ? "AsyncFunctionDef" : "FunctionDef", quote(n.name.text), n.params, n.body, n.decorators,
             n.returns);
    }
    void operator()(const ClassDef& n) {
        node("ClassDef", quote(n.name.text), n.bases, n.keywords, n.body, n.decorators);
    }
    void operator()(const Return& n) { node("Return", n.value); }
    void operator()(const Break&) { node("Break"); }
    void operator()(const Continue&) { node("Continue"); }
    void operator()(const Pass&) { node("Pass"); }
    void operator()(const Assert& n) { node("Assert", n.condition, n.message); }
    void operator()(const With& n) { node(n.is_async ? "AsyncWith" : "With", n.items, n.body); }
    void operator()(const Raise& n) { node("Raise", n.value, n.cause); }
    void operator()(const Try& n) {
        node(n.is_group ? "TryStar" : "Try", n.body, n.handlers, n.else_body, n.finally_body);
    }
    void operator()(const Import& n) { node("Import", n.names); }
    void operator()(const ImportFrom& n) { node("ImportFrom", n.module, n.names, std::to_string(n.level)); }
    void operator()(const Global& n) { node("Global", n.names); }
    void operator()(const Nonlocal& n) { node("Nonlocal", n.names); }
    void operator()(const Del& n) { node("Delete", In{n.targets, Context::Del}); }
    void operator()(const Match& n) { node("Match", n.subject, n.cases); }
    void operator()(const ErrorStmt& n) { node("Error", n.body); }

    // ---- fields, by their types ----
    void field(const std::string& text) { put(text); }
    void field(const Expr* node, Context context = Context::Load) {
        if (!node)
            return put("None");
        Context outer = std::exchange(m_context, context);
        visit(*node, *this);
        m_context = outer;
    }
    void field(const Stmt* node) { visit(*node, *this); }
    void field(CompareOp op) { put(python_name(op)); }
    void field(const Ident& name) { put(name.text.empty() ? "None" : quote(name.text)); }
    void field(const Clause& c) {
        node("comprehension", In{c.target, Context::Store}, c.iterable, c.conditions, c.is_async ? "1" : "0");
    }
    void field(const Keyword& k) { node("keyword", k.name, k.value); }
    void field(const Param& p) {
        static const char* const kinds[] = {"posonly", "arg", "vararg", "kwonly", "kwarg"};
        node(kinds[static_cast<int>(p.what)], quote(p.name.text), p.annotation, p.default_value);
    }
    void field(const WithItem& item) { node("withitem", item.context, In{item.target, Context::Store}); }
    void field(const Handler& h) { node("ExceptHandler", h.type, h.name, h.body); }
    void field(const MatchCase& c) { node("match_case", c.guard, c.body); }
    void field(const ImportName& item) { node("alias", quote(item.name.text), item.as); }
    void field(In<Expr*> in) { field(in.what, in.context); }
    void field(In<ExprList> in) {
        list(in.what, [&](const Expr* item) { field(item, in.context); });
    }
    template <class Item>
    void field(std::span<Item> items) {
        list(items, [&](const Item& item) { field(item); });
    }

private:
    template <class... Parts>
    void put(const Parts&... parts) {
        ((m_out += parts), ...);
    }
    template <class... Fields>
    void node(const char* type, const Fields&... fields) {
        put(type, "(");
        [[maybe_unused]] bool is_first = true;
        ((put(std::exchange(is_first, false) ? "" : ", "), field(fields)), ...);
        put(")");
    }
    template <class Items, class F>
    void list(const Items& items, F each) {
        put("[");
        bool is_first = true;
        for (const auto& item : items) {
            put(std::exchange(is_first, false) ? "" : ", ");
            each(item);
        }
        put("]");
    }
    void fstring(const FString& n) {
        std::string text;
        bool first = true;
        auto flush = [&] {
            if (!text.empty())
                put(std::exchange(first, false) ? "" : ", ", "Constant('", bytes(text), "')");
            text.clear();
        };
        put("JoinedStr([");
        for (const FStringPart& part : n.parts) {
            text += part.literal;
            text += part.debug_text;
            if (!part.value)
                continue;
            flush();
            put(std::exchange(first, false) ? "" : ", ");
            node("FormattedValue", part.value, std::to_string(part.conversion ? static_cast<int>(part.conversion) : -1),
                 part.spec);
        }
        flush();
        put("])");
    }
    std::string context() const {
        return m_context == Context::Load ? "Load()" : m_context == Context::Store ? "Store()" : "Del()";
    }
    static std::string hex(double number) {
        char buffer[64];
        std::snprintf(buffer, sizeof buffer, "%a", number);
        return buffer;
    }
    static std::string bytes(std::string_view text) {
        static const char* const digits = "0123456789abcdef";
        std::string out;
        for (char c : text) {
            auto byte = static_cast<unsigned char>(c);
            if (byte >= 0x20 && byte < 0x7F && c != '\\' && c != '\'')
                out += c;
            else
                (((out += "\\x") += digits[byte >> 4]) += digits[byte & 15]);
        }
        return out;
    }

    std::string m_out;
    Context m_context = Context::Load;
};

} // namespace

std::string dump(const Module& module) {
    Dumper dumper;
    dumper.field(module.body);
    return dumper.take();
}

std::string dump(const Expr& value) {
    Dumper dumper;
    dumper.field(&value);
    return dumper.take();
}

} // namespace hidet::lang::ast
