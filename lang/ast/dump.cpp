// SPDX-License-Identifier: Apache-2.0
#include "lang/ast/dump.h"

#include <cstdio>
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

// Every value is written as TYPE(field, field, ...), lists in brackets and what is absent as None.
class Dumper {
public:
    std::string take() { return std::move(m_out); }

    void block(Block body) {
        list(body, [&](const Stmt* s) { visit(*s, *this); });
    }

    void value(const Expr* node, Context context = Context::Load) {
        if (!node)
            return put("None");
        Context outer = std::exchange(m_context, context);
        visit(*node, *this);
        m_context = outer;
    }

    // ---- expressions ----
    void operator()(const Name& n) { put("Name(", quote(n.id), context(), ")"); }
    void operator()(const Constant& n) {
        switch (n.what) {
        case ConstantKind::None: return put("Constant(None)");
        case ConstantKind::True: return put("Constant(True)");
        case ConstantKind::False: return put("Constant(False)");
        case ConstantKind::Ellipsis: return put("Constant(Ellipsis)");
        case ConstantKind::Int:
            return n.too_big ? put("Constant(big)") : put("Constant(", std::to_string(n.integer), ")");
        case ConstantKind::Float: return put("Constant(", hex(n.real), ")");
        case ConstantKind::Imaginary: return put("Constant(", hex(n.real), "j)");
        case ConstantKind::String: return put("Constant('", bytes(n.text), "')");
        case ConstantKind::Bytes: return put("Constant(b'", bytes(n.text), "')");
        }
    }
    void operator()(const FString& n) { fstring(n); }
    void operator()(const Tuple& n) { sequence("Tuple", n.items); }
    void operator()(const List& n) { sequence("List", n.items); }
    void operator()(const Set& n) {
        call("Set", [&] { values(n.items); });
    }
    void operator()(const Dict& n) {
        call("Dict", [&] {
            values(n.keys);
            put(", ");
            values(n.values);
        });
    }
    void operator()(const Unary& n) {
        call("UnaryOp", [&] {
            put(python_name(n.op), ", ");
            value(n.operand);
        });
    }
    void operator()(const Binary& n) {
        call("BinOp", [&] {
            value(n.left);
            put(", ", python_name(n.op), ", ");
            value(n.right);
        });
    }
    void operator()(const BoolOp& n) {
        call("BoolOp", [&] {
            put(n.is_and ? "And, " : "Or, ");
            values(n.operands);
        });
    }
    void operator()(const Compare& n) {
        call("Compare", [&] {
            value(n.left);
            put(", ");
            list(n.ops, [&](CompareOp op) { put(python_name(op)); });
            put(", ");
            values(n.rights);
        });
    }
    void operator()(const Call& n) {
        call("Call", [&] {
            value(n.callee);
            put(", ");
            values(n.args);
            put(", ");
            keywords(n.keywords);
        });
    }
    void operator()(const Attribute& n) {
        call("Attribute", [&] {
            std::string here = context();
            value(n.object);
            put(", ", quote(n.name.text), here);
        });
    }
    void operator()(const Subscript& n) {
        call("Subscript", [&] {
            std::string here = context();
            value(n.object);
            put(", ");
            value(n.index);
            put(here);
        });
    }
    void operator()(const Slice& n) { fields("Slice", n.start, n.stop, n.step); }
    void operator()(const Starred& n) {
        call("Starred", [&] {
            std::string here = context();
            value(n.value, m_context);
            put(here);
        });
    }
    void operator()(const Lambda& n) {
        call("Lambda", [&] {
            parameters(n.params);
            put(", ");
            value(n.body);
        });
    }
    void operator()(const IfExp& n) { fields("IfExp", n.condition, n.then_value, n.else_value); }
    void operator()(const Comprehension& n) {
        static const char* const names[] = {"ListComp", "SetComp", "DictComp", "GeneratorExp"};
        call(names[static_cast<int>(n.what)], [&] {
            value(n.element);
            if (n.what == ComprehensionKind::Dict) {
                put(", ");
                value(n.value);
            }
            put(", ");
            list(n.clauses, [&](const Clause& c) {
                call("comprehension", [&] {
                    value(c.target, Context::Store);
                    put(", ");
                    value(c.iterable);
                    put(", ");
                    values(c.conditions);
                    put(c.is_async ? ", 1" : ", 0");
                });
            });
        });
    }
    void operator()(const NamedExpr& n) {
        put("NamedExpr(Name(", quote(n.name.text), ", Store()), ");
        value(n.value);
        put(")");
    }
    void operator()(const Await& n) { fields("Await", n.value); }
    void operator()(const Yield& n) { fields(n.is_from ? "YieldFrom" : "Yield", n.value); }
    void operator()(const ErrorExpr&) { put("Error()"); }

    // ---- statements ----
    void operator()(const ExprStmt& n) { fields("Expr", n.value); }
    void operator()(const Assign& n) {
        call("Assign", [&] {
            values(n.targets, Context::Store);
            put(", ");
            value(n.value);
        });
    }
    void operator()(const AugAssign& n) {
        call("AugAssign", [&] {
            value(n.target, Context::Store);
            put(", ", python_name(n.op), ", ");
            value(n.value);
        });
    }
    void operator()(const AnnAssign& n) {
        call("AnnAssign", [&] {
            value(n.target, Context::Store);
            put(", ");
            value(n.annotation);
            put(", ");
            value(n.value);
            put(n.target->kind == Kind::Name && !n.target->parenthesized ? ", 1" : ", 0");
        });
    }
    void operator()(const If& n) { loop("If", n.condition, n.body, n.else_body); }
    void operator()(const While& n) { loop("While", n.condition, n.body, n.else_body); }
    void operator()(const For& n) {
        call(n.is_async ? "AsyncFor" : "For", [&] {
            value(n.target, Context::Store);
            put(", ");
            value(n.iterable);
            put(", ");
            block(n.body);
            put(", ");
            block(n.else_body);
        });
    }
    void operator()(const FunctionDef& n) {
        call(n.is_async ? "AsyncFunctionDef" : "FunctionDef", [&] {
            put(quote(n.name.text), ", ");
            parameters(n.params);
            put(", ");
            block(n.body);
            put(", ");
            values(n.decorators);
            put(", ");
            value(n.returns);
        });
    }
    void operator()(const ClassDef& n) {
        call("ClassDef", [&] {
            put(quote(n.name.text), ", ");
            values(n.bases);
            put(", ");
            keywords(n.keywords);
            put(", ");
            block(n.body);
            put(", ");
            values(n.decorators);
        });
    }
    void operator()(const Return& n) { fields("Return", n.value); }
    void operator()(const Break&) { put("Break()"); }
    void operator()(const Continue&) { put("Continue()"); }
    void operator()(const Pass&) { put("Pass()"); }
    void operator()(const Assert& n) { fields("Assert", n.condition, n.message); }
    void operator()(const With& n) {
        call(n.is_async ? "AsyncWith" : "With", [&] {
            list(n.items, [&](const WithItem& item) {
                call("withitem", [&] {
                    value(item.context);
                    put(", ");
                    value(item.target, Context::Store);
                });
            });
            put(", ");
            block(n.body);
        });
    }
    void operator()(const Raise& n) { fields("Raise", n.value, n.cause); }
    void operator()(const Try& n) {
        call(n.is_group ? "TryStar" : "Try", [&] {
            block(n.body);
            put(", ");
            list(n.handlers, [&](const Handler& h) {
                call("ExceptHandler", [&] {
                    value(h.type);
                    put(", ", h.name.text.empty() ? "None" : quote(h.name.text), ", ");
                    block(h.body);
                });
            });
            put(", ");
            block(n.else_body);
            put(", ");
            block(n.finally_body);
        });
    }
    void operator()(const Import& n) {
        call("Import", [&] { aliases(n.names); });
    }
    void operator()(const ImportFrom& n) {
        call("ImportFrom", [&] {
            put(n.module.text.empty() ? "None" : quote(n.module.text), ", ");
            aliases(n.names);
            put(", ", std::to_string(n.level));
        });
    }
    void operator()(const Global& n) { names("Global", n.names); }
    void operator()(const Nonlocal& n) { names("Nonlocal", n.names); }
    void operator()(const Del& n) {
        call("Delete", [&] { values(n.targets, Context::Del); });
    }
    void operator()(const Match& n) {
        call("Match", [&] {
            value(n.subject);
            put(", ");
            list(n.cases, [&](const MatchCase& c) {
                call("match_case", [&] {
                    value(c.guard);
                    put(", ");
                    block(c.body);
                });
            });
        });
    }
    void operator()(const ErrorStmt& n) {
        call("Error", [&] { block(n.body); });
    }

private:
    template <class... Parts>
    void put(const Parts&... parts) {
        ((m_out += parts), ...);
    }
    template <class F>
    void call(const char* type, F body) {
        put(type, "(");
        body();
        put(")");
    }
    template <class List, class F>
    void list(const List& items, F each) {
        put("[");
        bool first = true;
        for (const auto& item : items) {
            put(first ? "" : ", ");
            first = false;
            each(item);
        }
        put("]");
    }
    void values(ExprList items, Context context = Context::Load) {
        list(items, [&](const Expr* item) { value(item, context); });
    }
    template <class... Values>
    void fields(const char* type, const Values*... items) {
        call(type, [&] {
            bool first = true;
            ((put(first ? "" : ", "), first = false, value(items)), ...);
        });
    }
    void loop(const char* type, const Expr* condition, Block body, Block else_body) {
        call(type, [&] {
            value(condition);
            put(", ");
            block(body);
            put(", ");
            block(else_body);
        });
    }
    void sequence(const char* type, ExprList items) {
        call(type, [&] {
            std::string here = context();
            values(items, m_context);
            put(here);
        });
    }
    void names(const char* type, std::span<Ident> items) {
        call(type, [&] { list(items, [&](const Ident& name) { put(quote(name.text)); }); });
    }
    void aliases(std::span<ImportName> items) {
        list(items, [&](const ImportName& item) {
            put("alias(", quote(item.name.text), ", ", item.as.text.empty() ? "None" : quote(item.as.text), ")");
        });
    }
    void keywords(std::span<Keyword> items) {
        list(items, [&](const Keyword& item) {
            put("keyword(", item.name.text.empty() ? "None" : quote(item.name.text), ", ");
            value(item.value);
            put(")");
        });
    }
    void parameters(std::span<Param> params) {
        list(params, [&](const Param& p) {
            static const char* const kinds[] = {"posonly", "arg", "vararg", "kwonly", "kwarg"};
            put(kinds[static_cast<int>(p.what)], "(", quote(p.name.text), ", ");
            value(p.annotation);
            put(", ");
            value(p.default_value);
            put(")");
        });
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
            put(std::exchange(first, false) ? "" : ", ", "FormattedValue(");
            value(part.value);
            put(", ", std::to_string(part.conversion ? static_cast<int>(part.conversion) : -1), ", ");
            value(part.spec);
            put(")");
        }
        flush();
        put("])");
    }
    std::string context() const {
        return m_context == Context::Load ? ", Load()" : m_context == Context::Store ? ", Store()" : ", Del()";
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
    dumper.block(module.body);
    return dumper.take();
}

std::string dump(const Expr& value) {
    Dumper dumper;
    dumper.value(&value);
    return dumper.take();
}

} // namespace hidet::lang::ast
