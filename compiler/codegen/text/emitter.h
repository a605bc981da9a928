// SPDX-License-Identifier: Apache-2.0
// The emitter of C-like text. It knows statements, precedence, names and origins; a Dialect knows the spelling of types and
// intrinsics, and the two languages (cuda_emitter.cpp, cpp_emitter.cpp) override what differs between them.
//
// Signed integers of the IR wrap; in C++ they must not overflow, and compilers rely on it: CUDA's folds `x + 1 > x`. So i32
// and i64 arithmetic that is not known to stay in range is written as unsigned arithmetic, by a suffix `u` or a conversion of
// one operand, and becomes signed where the value is used: by itself in `int y = x * 31u;`, else as `int(x * 31u) < y`. Value
// ranges tell where none of this is needed. Thread and block indices are unsigned in CUDA, which is what makes
// `int i = blockIdx.x * 64 + threadIdx.x;` right. Sums and products that are an index of memory stay as they are: where they
// overflow the address is wrong in any reading, and compilers vectorise loops over indices that do not wrap.
// Narrow types are computed in int and converted back.
#pragma once

#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "compiler/analysis/launch_bounds.h"
#include "compiler/artifact/source.h"
#include "compiler/codegen/text/dialect.h"
#include "compiler/codegen/text/names.h"
#include "compiler/codegen/text/writer.h"
#include "compiler/ir/func.h"
#include "lang/base/diagnostic.h"

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

// What a place asks of an integer expression.
enum class Use : std::uint8_t {
    Exact,   // its C++ type is that of the IR
    Value,   // its value is that of the IR, its C++ type may be unsigned
    Bits,    // a conversion to the type follows
    Mixed,   // the other operand is unsigned, so this one becomes it
    Address, // part of an index: overflow need not be thought of
};

class Emitter {
public:
    Emitter(const ir::ModuleRef& module, const Dialect& dialect, Names::Reserved reserved, DiagnosticSink& sink);
    virtual ~Emitter() = default;
    Emitter(const Emitter&) = delete;

protected:
    // ---- what a language says ----
    virtual const char* language() const = 0; // for messages
    virtual bool may_mix_signs() const = 0;   // without a warning, where neither side is negative
    virtual bool intrinsic_special(const ir::Intrinsic& expr, Level place) = 0; // true: it was written
    virtual bool check_capability(const Capability& needs, const ir::Node& place) = 0;
    // True: it was written, because a division by zero must not be left to the processor.
    virtual bool checked_division(const ir::Binary&, bool /*rounds_down*/, Level) { return false; }
    virtual bool call_prefix(const ir::Call&) { return false; } // true: it wrote arguments before the first
    virtual void declare_array(const ir::DeclareStmt& stmt, std::int64_t count) = 0;
    virtual void for_loop(const ir::ForStmt& stmt) = 0;
    virtual void assert_stmt(const ir::AssertStmt& stmt) = 0;
    virtual void asm_stmt(const ir::AsmStmt& stmt) = 0;
    virtual void leave_loop(const ir::Stmt& stmt) = 0; // break, continue
    virtual void while_loop(const ir::WhileStmt& stmt);
    virtual bool is_special_declaration(const ir::DeclareStmt&) const { return false; } // goes to declare_array

    // ---- functions ----
    void begin_function(const ir::Function& function);
    void end_function();
    void params(const ir::Function& function, std::string_view first); // "(...)"
    bool is_const_pointer(const ir::Var& param) const { return m_const_pointers.contains(&param); }
    bool has_address(const ir::Var& array) const { return m_addressed.contains(&array); } // somebody may point into it
    const std::string& function_name(const std::string& name) const;

    // ---- statements ----
    void stmt(const ir::StmtRef& stmt);
    void block(const ir::StmtRef& body);             // " {", the body, "}"
    void block_without_end(const ir::StmtRef& body); // the same, for what stands in a statement
    void end_statement();
    static std::optional<std::int64_t> count_of(const ir::TypeRef& type); // elements of an array
    void comment(std::string_view text);
    void loop_head(const ir::ForStmt& stmt); // "for (...)"
    bool wants_unrolling(const ir::ForStmt& stmt) const;
    void learn_loop(const ir::ForStmt& stmt);

    // ---- expressions ----
    void expr(const ir::ExprRef& expr, Level place = Level::Any, Use use = Use::Exact);
    void index(const ir::ExprRef& expr);
    void exprs(const ir::ExprVec& list, Use use);
    void builtin(const ir::BuiltinVar& expr);
    void place(const ir::ExprRef& expr) { this->expr(expr, Level::Postfix); }
    void spelled(const Spelling& spelling, const ir::ExprVec& args);
    void convert(const ir::ExprRef& value, ir::DType to, Level place, Use use);
    // f writes arithmetic on a type, which C++ does in int where the type is narrow; this converts it back.
    template <class F>
    void narrowed(ir::DType to, const ir::Node& node, Level place, F&& f);
    bool is_nonnegative(const ir::ExprRef& expr) const;
    // The format of printf with lengths that fit the values, and the values that are left.
    struct Print {
        std::string format;
        struct Item {
            ir::ExprRef value;
            char conversion = 0;
        };
        std::vector<Item> items;
    };
    Print print_of(const ir::Intrinsic& expr) const;
    void print_arguments(const Print& print);

    // ---- types ----
    std::string type(const ir::TypeRef& type, const ir::Node& place);
    std::string dtype(ir::DType dtype, const ir::Node& place);
    std::string declarator(const ir::TypeRef& type, std::string_view name, const ir::Node& place);
    void need(const Spelling& spelling, const ir::Node& place);
    void open(Level own, Level place) { put(own < place ? "(" : ""); }
    void close(Level own, Level place) { put(own < place ? ")" : ""); }
    // An expression that the emitter made lives as long as the statement is written.
    const ir::ExprRef& keep(ir::ExprRef expr) { return m_kept.emplace_back(std::move(expr)); }
    void unsupported(const ir::Node& place, const std::string& what);
    Span span_of(const ir::Node& place) const;

    // The prelude, what the language declares behind it, and what was written; empty without entries.
    artifact::Source assembled(artifact::Language language, std::string_view declarations,
                               std::vector<artifact::EntryPoint> entries);

    void put(std::string_view text) { m_out.put(text); }
    void line(std::string_view text) { m_out.begin_line(), put(text), m_out.end_line(); }

    const ir::ModuleRef m_module;
    const Dialect& m_dialect;
    const Names::Reserved m_reserved;
    DiagnosticSink& m_sink;
    Writer m_out;
    Names m_names;
    Pieces m_pieces;
    const ir::Function* m_function = nullptr;
    Uses m_uses;
    Ranges m_ranges;

private:
    // ---- statements ----
    void declare(const ir::DeclareStmt& stmt);
    void seq(const ir::SeqStmt& stmt);
    void return_stmt(const ir::ReturnStmt& stmt);
    void if_else(const ir::IfStmt& stmt);
    void body_if(const ir::StmtRef& body, const ir::ExprRef& condition, bool truth);
    std::string pointer_to(const ir::TypeRef& base, const ir::Node& place);
    void assign_stmt(const ir::AssignStmt& stmt);
    void store_stmt(const ir::StoreStmt& stmt);
    static bool is_compound(const ir::ExprRef& value, const ir::TypeRef& type);
    void assigned(const ir::ExprRef& value, bool is_compound); // " = value;"
    void compound_operand(const ir::Binary& expr, bool is_negated);
    void evaluate(const ir::ExprRef& value);
    void black_box(const ir::BlackBoxStmt& stmt);

    // ---- expressions ----
    struct Infix {
        const char* symbol;
        Level own, left, right;
    };
    void constant(const ir::Constant& expr, Level place, Use use);
    void integer(std::int64_t value, ir::DType dtype, Level place);
    void real(double value, ir::DType dtype, Level place, const ir::Node& node);
    void unary(const ir::Unary& expr, Level place, Use use);
    void binary(const ir::Binary& expr, Level place, Use use);
    void compare(const ir::Binary& expr, Level place);
    void logical(const ir::Binary& expr, Level place);
    void sum_or_product(const ir::Binary& expr, Level place, Use use);
    static std::optional<std::int64_t> negated_constant(const ir::Binary& expr);
    void divide(const ir::Binary& expr, Level place);
    void bits(const ir::Binary& expr, Level place);
    void shift(const ir::Binary& expr, Level place);
    void pointer_arithmetic(const ir::Binary& expr, Level place);
    bool spelled_operator(const ir::Binary& expr, Level place);
    void infix(const Infix& op, const ir::ExprRef& a, const ir::ExprRef& b, Level place, Use use);
    void pair(const Infix& op, const ir::ExprRef& a, const ir::ExprRef& b, Level place);
    void helper_call(const char* name, const ir::ExprRef& a, const ir::ExprRef& b, ir::DType dtype, Level place);
    void call(const ir::Call& expr);
    void intrinsic(const ir::Intrinsic& expr, Level place);
    void cast(const ir::Cast& expr, Level place, Use use);
    void pointer_cast(const ir::Cast& expr, Level place);
    void select(const ir::Select& expr, Level place, Use use);
    void address(const ir::Address& expr, Level place);
    void let(const ir::Let& expr);
    void argument(const ir::ExprRef& expr);
    void as_unsigned(const ir::ExprRef& expr, Level place);
    bool is_unsigned(const ir::ExprRef& expr);
    bool computes_unsigned(const ir::ExprRef& expr);
    bool may_wrap(const ir::ExprRef& expr) const;
    bool has_plain_shift(const ir::Binary& expr) const;

    std::string outermost_name(std::string_view hint);

    std::unordered_map<std::string, std::string> m_function_names;
    std::unordered_map<const ir::Expr*, bool> m_unsigned; // of this statement
    std::deque<ir::ExprRef> m_kept;
    std::unordered_set<const ir::Var*> m_const_pointers; // parameters that are only read through
    std::unordered_set<const ir::Var*> m_array_indices;  // what elements of local arrays are chosen by
    std::unordered_set<const ir::Var*> m_addressed;      // local arrays
    std::size_t m_outer_names = 0;
};

template <class F>
void Emitter::narrowed(ir::DType to, const ir::Node& node, Level place, F&& f) {
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
