// SPDX-License-Identifier: Apache-2.0
// The emitter of C-like text. It knows statements, precedence, names and origins; a Dialect knows the syntax of types and
// intrinsics, and the two languages (codegen/cuda, codegen/cpp) override what differs between them.
//
// It prints functions that are legal (legalise.h): nothing here asks what an expression may be.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/artifact/source.h"
#include "compiler/codegen/text/legalise.h"
#include "compiler/codegen/text/writer.h"
#include "compiler/ir/expr.h"
#include "compiler/ir/func.h"
#include "lang/base/diagnostic.h"
#include "lang/base/print_format.h"

namespace hidet::compiler::text {

// How tightly C++ binds; an expression that binds less tightly than its place is put in parentheses.
enum class Level : std::uint8_t {
    Any,
    Choice,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Prefix,
    Postfix
};

// The script's names as names of C++: identifiers, clear of what the language and its prelude use, unique where they are
// visible. Blocks that lie beside each other use the same names again, as a person would.
class Names {
public:
    using Reserved = std::set<std::string, std::less<>>;
    explicit Names(const Reserved& reserved) : m_reserved(reserved) {}

    // A name for something other than a variable (a function, a helper variable), visible until the block ends.
    std::string add(std::string_view hint);
    const std::string& define(const ir::Var& var);
    const std::string& of(const ir::Var& var); // defines it where it was not

    void alias(const ir::Var& var, std::string name) { m_of[&var] = std::move(name); } // of what add() gave

    // Names that were added since mark() are free again after restore().
    std::size_t mark() const { return m_trail.size(); }
    void restore(std::size_t mark);

private:
    struct Entry {
        std::string name;
        std::string hint;
        int number_before;
    };
    const Reserved& m_reserved;
    std::unordered_map<const ir::Var*, std::string> m_of;
    std::unordered_set<std::string> m_used;
    std::unordered_map<std::string, int> m_numbers; // the last that was tried for a hint
    std::vector<Entry> m_trail;
};

// Names, types, and what is written.
class TypeEmitter {
public:
    TypeEmitter(const ir::ModuleRef& module, const Dialect& dialect, Names::Reserved reserved, DiagnosticSink& sink);
    virtual ~TypeEmitter() = default;
    TypeEmitter(const TypeEmitter&) = delete;

protected:
    virtual const char* language() const = 0; // for messages
    virtual bool check_capability(const Capability& needs, const ir::Node& place) = 0;

    const std::string& function_name(const std::string& name) const;
    std::string type(const ir::TypeRef& type, const ir::Node& place);
    std::string dtype(ir::DType dtype, const ir::Node& place);
    std::string declarator(const ir::TypeRef& type, std::string_view name, const ir::Node& place);
    void need(const TargetSyntax& spelling, const ir::Node& place);
    std::string tensor_map(const ir::Node& place, bool is_parameter);
    void open(Level own, Level place) { put(own < place ? "(" : ""); }
    void close(Level own, Level place) { put(own < place ? ")" : ""); }
    // An expression that the emitter made lives as long as the statement is written.
    const ir::ExprRef& keep(ir::ExprRef expr) { return m_kept.emplace_back(std::move(expr)); }
    void unsupported(const ir::Node& place, const std::string& what);
    Span span_of(const ir::Node& place) const;

    void put(std::string_view text) { m_out.put(text); }
    void line(std::string_view text) { m_out.begin_line(), put(text), m_out.end_line(); }
    std::string outermost_name(std::string_view hint);
    std::string pointer_to(const ir::TypeRef& base, const ir::Node& place);

    const ir::ModuleRef m_module;
    const Dialect& m_dialect;
    const Names::Reserved m_reserved;
    DiagnosticSink& m_sink;
    Writer m_out;
    Names m_names;
    Snippets m_snippets;
    const ir::Function* m_function = nullptr;
    std::unordered_map<std::string, std::string> m_function_names;
    std::deque<ir::ExprRef> m_kept;
    std::size_t m_outer_names = 0;
};

class ExprEmitter : public TypeEmitter {
protected:
    using TypeEmitter::TypeEmitter;

    virtual bool intrinsic_special(const ir::Intrinsic& expr, Level place) = 0; // true: it was written
    // A division that the processor may trap on.
    virtual void checked_division(const ir::Binary& expr, Level) {
        unsupported(expr, "a division that may end the program");
    }
    virtual bool call_prefix(const ir::Call&) { return false; } // true: it wrote arguments before the first

    void expr(const ir::ExprRef& expr, Level place = Level::Any);
    void exprs(const ir::ExprVec& list);
    void builtin(const ir::BuiltinVar& expr);
    const ir::ExprRef& written(const ir::ExprRef& expr) const { return m_legal.written(expr); }
    bool is_unproven(const ir::Expr& expr) const { return m_legal.has(Mark::Unproven, expr); }
    void place(const ir::ExprRef& expr) { this->expr(expr, Level::Postfix); }
    void write_syntax(const TargetSyntax& syntax, const ir::ExprVec& args);
    void convert(const ir::ExprRef& value, ir::DType to, Level place);
    // f writes arithmetic on a type, which C++ does in int where the type is narrow; this converts it back.
    template <class F>
    void narrowed(ir::DType to, const ir::Node& node, Level place, F&& f);
    // The format of printf with lengths that fit the values, and the values.
    struct Print {
        std::string format;
        struct Item {
            ir::ExprRef value;
            char conversion = 0; // its letter, or what the value is for another: '*' its width, '.' its precision
        };
        std::vector<Item> items;
    };
    Print print_of(const ir::Intrinsic& expr) const;
    std::string print_value(const PrintConversion& wanted, ir::ExprRef value, Print& print) const;
    void print_arguments(const Print& print);

    LegalFunction m_legal;
    Uses m_uses;

private:
    struct Infix {
        const char* symbol;
        Level own, left, right;
    };
    void constant(const ir::Constant& expr, Level place);
    void integer(std::int64_t value, ir::DType dtype, Level place);
    void real(double value, ir::DType dtype, Level place, const ir::Node& node);
    void unary(const ir::Unary& expr, Level place);
    void binary(const ir::Binary& expr, Level place);
    void compare(const ir::Binary& expr, Level place);
    void logical(const ir::Binary& expr, Level place);
    void sum_or_product(const ir::Binary& expr, Level place);
    void divide(const ir::Binary& expr, Level place);
    void bits(const ir::Binary& expr, Level place);
    void shift(const ir::Binary& expr, Level place);
    void pointer_arithmetic(const ir::Binary& expr, Level place);
    bool spelled_operator(const ir::Binary& expr, Level place);
    void infix(const Infix& op, const ir::ExprRef& a, const ir::ExprRef& b, Level place);
    void helper_call(const char* name, const ir::ExprRef& a, const ir::ExprRef& b, ir::DType dtype, Level place);
    void call(const ir::Call& expr);
    void intrinsic(const ir::Intrinsic& expr, Level place);
    void cast(const ir::Cast& expr, Level place);
    void pointer_cast(const ir::Cast& expr, Level place);
    void select(const ir::Select& expr, Level place);
    void address(const ir::Address& expr, Level place);
    void let(const ir::Let& expr);
    void argument(const ir::ExprRef& expr);
};

class Emitter : public ExprEmitter {
protected:
    using ExprEmitter::ExprEmitter;

    // ---- what a language says ----
    virtual void declare_array(const ir::DeclareStmt& stmt, std::int64_t count) = 0;
    virtual void for_loop(const ir::ForStmt& stmt);
    virtual void assert_stmt(const ir::AssertStmt& stmt) = 0;
    virtual void asm_stmt(const ir::AsmStmt& stmt) = 0;
    virtual void leave_loop(const ir::Stmt& stmt); // break, continue
    virtual void while_loop(const ir::WhileStmt& stmt);
    virtual bool is_special_declaration(const ir::DeclareStmt&) const { return false; } // goes to declare_array
    virtual void function_head(const ir::Function& function) = 0;                       // up to its body

    // ---- functions ----
    // What is printed from here on; `bounds` may be null.
    const ir::Function& legal(const ir::FunctionRef& function, const LaunchBounds* bounds);
    void begin_function(const ir::Function& function);
    void end_function();
    void declare_function(const ir::Function& function); // before it is written
    // A variable of the module; `storage` stands before what is a single value, `array_storage` before an array.
    void declare_global(const ir::Var& global, std::string_view storage, std::string_view array_storage);
    void params(const ir::Function& function, std::string_view first); // "(...)"
    bool is_const_pointer(const ir::Var& param) const { return m_const_pointers.contains(&param); }
    bool has_address(const ir::Var& array) const { return m_addressed.contains(&array); } // somebody may point into it

    // ---- statements ----
    void stmt(const ir::StmtRef& stmt);
    void block(const ir::StmtRef& body);             // " {", the body, "}"
    void block_without_end(const ir::StmtRef& body); // the same, for what stands in a statement
    void end_statement();
    static std::optional<std::int64_t> count_of(const ir::TypeRef& type); // elements of an array
    void comment(std::string_view text);
    void loop_head(const ir::ForStmt& stmt); // "for (...)"
    bool wants_unrolling(const ir::ForStmt& stmt) const;

    // The prelude, what the language declares behind it, and what was written; empty without entries.
    artifact::Source assembled(artifact::Language language, std::string_view declarations,
                               std::vector<artifact::EntryPoint> entries);

private:
    // ---- statements ----
    void declare(const ir::DeclareStmt& stmt);
    void seq(const ir::SeqStmt& stmt);
    void return_stmt(const ir::ReturnStmt& stmt);
    void if_else(const ir::IfStmt& stmt);
    void body_if(const ir::StmtRef& body);
    void assign_stmt(const ir::AssignStmt& stmt);
    void store_stmt(const ir::StoreStmt& stmt);
    void assigned(const ir::ExprRef& value, const ir::Binary* compound); // " = value;"
    void evaluate(const ir::ExprRef& value);

    std::unordered_set<const ir::Var*> m_const_pointers; // parameters that are only read through
    std::unordered_set<const ir::Var*> m_array_indices;  // what elements of local arrays are chosen by
    std::unordered_set<const ir::Var*> m_addressed;      // local arrays
};

template <class F>
void ExprEmitter::narrowed(ir::DType to, const ir::Node& node, Level place, F&& f) {
    if (!ir::is_integer(to) || ir::bytes_of(to) >= 4)
        return f(place);
    if (to == ir::DType::Bool) {
        open(Level::Equality, place);
        put("(("), f(Level::Any), put(") & 1) != 0");
        return close(Level::Equality, place);
    }
    put(cat(dtype(to, node), "("));
    f(Level::Any);
    put(")");
}

} // namespace hidet::compiler::text
