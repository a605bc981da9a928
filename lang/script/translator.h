// SPDX-License-Identifier: Apache-2.0
// One @hidet.script function on its way to IR.
//
// Expressions are evaluated by the host evaluator, which resolves names through our ScriptEnvironment and calls
// IrOperations for everything that touches IR; this class does the statements. A statement that fails is reported, the
// names that it would have bound become Unknown, and the next statement is translated: many diagnostics, no cascades.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lang/host/ir_operations.h"
#include "lang/script/objects.h"
#include "lang/script/scope.h"

namespace hidet::lang {

// ---- what is asked about the syntax of a function before it is translated (names.cpp) ----

using NameCounts = std::map<std::string_view, int>;

// How often each name is bound in the statements, nested blocks included; being a loop target counts twice, and so does
// an augmented assignment, because neither leaves the name with one value.
NameCounts assigned_names(ast::Block block);
void count_target(const ast::Expr& target, int times, NameCounts& out);
// Whether evaluating the expression may call something.
bool may_call(const ast::Expr& expr);
// Whether a break (or continue) of the loop that has this body occurs in it.
bool has_break(ast::Block body);
bool has_continue(ast::Block body);

// ---- the translator ----

class Operations;
struct Subscripts;

// What is set through `attrs`; spans are unknown where nothing was set.
struct FunctionAttributes {
    std::string func_name, label;
    std::optional<ir::FuncKind> kind;
    ir::ExprVec grid_dim, cluster_dim, block_dim;
    ir::ExprRef dynamic_smem_bytes;
    std::int64_t min_blocks = 0;
    bool wide_access = false;
    std::map<std::string, Span, std::less<>> set_at; // "cuda.grid_dim" -> place
    bool any_failed = false;                         // a misspelt one may be the one that seems to be missing
};

// Budgets and cancellation are no mistakes of one statement.
bool ends_evaluation(const Diagnostic& diagnostic);

// What the expressions of a script function are, and when they are evaluated (order.cpp).
class ScriptValues {
public:
    ScriptValues(const ScriptValues&) = delete;
    void take_address(const ir::ExprRef& place); // its value may change through a pointer
    // A tuple of the variables that the call writes.
    Value call_for_results(const Ref<TranslatedFunction>& callee, ir::ExprVec args, Span span);
    // Replaces variables whose only value is a constant and folds.
    ir::ExprRef fold_known(const ir::ExprRef& expr) const;
    ir::ExprVec fold_known(const ir::ExprVec& exprs) const;
    // A variable that always has this value from now on.
    ir::ExprRef freeze(const ir::ExprRef& expr, std::string_view name);
    // See IrOperations.
    void keep(std::span<Value> values, Span span);
    void keep_for_two(std::span<Value, 2> sides, Span span);
    void run(const Value& value, Span span);
    void open_part(PartRuns runs) { m_parts.push_back({runs, {}}); }
    Value close_part(const Value& value, Span span);
    void drop_part() { m_parts.pop_back(); }
    void observe(const Binding& binding); // for who watches the evaluation
    bool in_dynamic_block() const { return m_env->depth() > 1; }

protected:
    ScriptValues(Evaluator& evaluator, Operations& operations, const ast::FunctionDef& def, Environment& outer)
        : m_eval(evaluator), m_operations(operations), m_def(def), m_outer(outer),
          m_assigned(assigned_names(def.body)) {}
    ~ScriptValues() = default;

    struct Loop {
        bool is_meta;
        std::size_t depth; // scopes open inside of it
        ir::VarRef broken; // set by `break` where the loop has an else part
    };
    struct Part {
        PartRuns runs;
        std::vector<std::pair<ir::VarRef, ir::ExprRef>> kept;
    };
    // False: it failed, which is reported; the span is read then.
    bool tried(const Span& span, const std::function<void()>& f);
    bool guarded(const std::function<void()>& f); // also ends the scopes and loops that it began
    void unwind(std::size_t scopes, std::size_t loops);
    ir::VarRef loop_variable(std::string_view name, const ir::ExprRef& extent, Span span);
    Value freeze_items(const Value& value, std::string_view name, Span span, int depth = 0);
    bool may_change(const ir::ExprRef& expr) const;
    Value freeze_slice(const Value& value, std::string_view name);
    ir::ExprRef freeze_as(const ir::ExprRef& value, std::string_view name, Span span);
    bool is_fixed(const ir::ExprRef& expr) const;
    void define(const ir::VarRef& var, const ir::ExprRef& value);
    void emit_kept();
    bool affects(const ir::ExprRef& effect, const ir::ExprRef& value) const;
    bool is_affected(std::span<const Value> values, std::size_t i) const;
    Value kept(const Value& value, Span span, int depth);
    Value eval(const ast::Expr& expr) { return m_eval.eval(expr, *m_env); }
    Value eval_whole(const ast::Expr& expr) {
        m_whole = expr.span;
        m_has_called = false;
        return eval(expr);
    }
    ir::ExprRef condition(const Value& value, Span span, std::string_view what);
    std::optional<bool> static_condition(const Value& value, Span span);
    void emit(ir::StmtRef stmt);
    void report(Diagnostic diagnostic);

    Evaluator& m_eval;
    Operations& m_operations;
    const ast::FunctionDef& m_def;
    Environment& m_outer;
    NameCounts m_assigned;
    Ref<ScriptEnvironment> m_env;
    bool m_failed = false;
    Span m_statement_span;
    Span m_whole;              // the expression that is all of a statement's value
    bool m_has_called = false; // it is a call for several results, which is emitted
    std::vector<Loop> m_loops;
    std::vector<Part> m_parts;                         // of the expression that is being evaluated, outermost first
    std::map<const ir::Var*, ir::ExprRef> m_known;     // variables with one constant value
    std::map<const ir::Var*, std::int64_t> m_unrolled; // variables of loops that become so many copies
    ir::VarVec m_fixed;                                // loop variables and lets: nobody assigns them
};

// Parameters, what it returns, its attributes, and what it uses (signature.cpp).
class ScriptSignature : public ScriptValues {
public:
    // For operations and native functions, while an expression of the function is evaluated.
    void set_attribute(AttrsObject::Part part, std::string_view name, const Value& value, Span span, Span value_span);
    void use_on_gpu(std::string name, Span span) { note_use(m_gpu_uses, std::move(name), span); }
    void use_on_host(std::string name, Span span) { note_use(m_host_uses, std::move(name), span); }
    void use_function(const Ref<TranslatedFunction>& callee, Span span);
    void use_extern(const ir::VarRef& function);

protected:
    using ScriptValues::ScriptValues;

    struct Use {
        std::string name;
        Span span;
    };
    void parameters();
    void parameter(const ast::Param& param);
    Value annotation_of(const ast::Param& param);
    void add_parameter(std::string name, ir::TypeRef type, Span span);
    void return_type();
    void result_type(const Value& annotation, Span span);
    void attribute_dims(ir::ExprVec& out, std::string_view name, const Value& value, Span span);
    ir::ExprRef launch_expr(const Value& value, std::string_view name, Span span);
    ir::FuncKind decide_kind();
    void default_value(const ast::Expr& written, const ir::TypeRef& type);
    void check_defaults(ir::FuncKind kind);
    void check_uses(ir::FuncKind kind, const ir::StmtRef& body);
    Ref<TranslatedFunction> finish(ir::StmtVec body);
    static void note_use(std::vector<Use>& uses, std::string name, Span span);

    ir::VarVec m_params;
    ir::ExprVec m_defaults; // of the last ones
    ir::TypeRef m_return_type = ir::void_type();
    ir::VarVec m_results;          // references: what is returned goes there, where it is more than one value
    bool m_returns_nothing = true; // no annotation
    FunctionAttributes m_attributes;
    std::vector<Use> m_gpu_uses, m_host_uses, m_launches;
    std::vector<std::pair<Ref<TranslatedFunction>, Span>> m_callees;
    ir::VarVec m_externs;
};

// Names and places that get values (assignment.cpp).
class ScriptAssignments : public ScriptSignature {
protected:
    using ScriptSignature::ScriptSignature;

    struct Place {
        ir::ExprRef base;
        ir::ExprVec indices;
    };
    void assign_statement(const ast::Assign& stmt);
    void annotated_assignment(const ast::AnnAssign& stmt);
    void augmented_assignment(const ast::AugAssign& stmt);
    void assign(const ast::Expr& target, const Value& value, Span value_span);
    void assign_sequence(ast::ExprList targets, Span target_span, const ast::Expr& value);
    void assign_values(ast::ExprList targets, Span target_span, std::vector<Value> values,
                       const std::vector<Span>& spans);
    void assign_name(std::string_view name, Span span, const Value& value, Span value_span);
    void assign_variable(std::string_view name, const Binding& binding, Span span, const Value& value, Span value_span);
    void assign_element(const ast::Subscript& target, const Value& value, Span value_span);
    void assign_host(const ast::Expr& target, const Value& value);
    Place element_place(const ast::Subscript& target);
    Place element_place(const ast::Subscript& target, const Value& object, const Value& index);
    struct Operand {
        std::size_t first_stmt; // of its block, from where on its evaluation emitted
        bool acts;
    };
    ir::ExprRef place_read_before(Place& place, const Operand& operand, Span span);
    void store(const Place& place, const Value& value, Span value_span);
    void fill(const ir::ExprRef& base, const Subscripts& subscripts, const Value& value, Span value_span);
    void check_rebinding(std::string_view name, Span span, std::string_view what);
    void bind_host(std::string_view name, Span span, const Value& value);
    void warn_if_hiding(std::string_view name, Span span);
    void warn_if_no_variable(std::string_view name, Span span, const Value& value);
    void declare(std::string_view name, Span span, const Declaration& declaration, Span value_span);
    void declare_value(std::string_view name, Span span, const ir::ExprRef& value);
};

class Translator final : public ScriptAssignments {
public:
    Translator(Evaluator& evaluator, Operations& operations, const ast::FunctionDef& def, Environment& outer);

    // Never null; its function is null when there were mistakes, which are reported.
    Ref<TranslatedFunction> translate();
    // Of an index made of numbers and variables of loops that become copies ("u+"); nothing: it may be anything.
    struct Ends {
        std::int64_t first, last;
    };
    std::optional<Ends> ends_in_copies(const ir::ExprRef& index) const;

    // Called when a name of the function cannot be found: throws if there is more to say than that it is unknown.
    void explain_missing(std::string_view name, Span span);

private:
    enum class Flow { Next, Break, Continue };

    // statements.cpp
    Flow block(ast::Block stmts);
    void warn_of_unreachable(ast::Block stmts);
    Flow statement(const ast::Stmt& stmt);
    Flow dispatch(const ast::Stmt& stmt);
    void expression_statement(const ast::ExprStmt& stmt);
    Flow if_statement(const ast::If& stmt);
    void while_statement(const ast::While& stmt);
    void return_statement(const ast::Return& stmt);
    void return_results(const Value& value, Span span);
    void assert_statement(const ast::Assert& stmt);
    void with_statement(const ast::With& stmt);
    Flow jump_statement(const ast::Stmt& stmt, bool is_break);
    ir::StmtRef scoped(std::string_view what, Span span, ast::Block body);
    Loop open_loop(ast::Block body, ast::Block else_body, bool is_nest);
    void close_loop(const Loop& loop, ast::Block else_body);
    [[noreturn]] void unsupported(const ast::Stmt& stmt);
    void poison(const ast::Stmt& stmt);

    // loops.cpp
    Flow for_statement(const ast::For& stmt);
    Flow meta_loop(const ast::For& stmt, std::vector<Value> items);
    void ir_loop(const ast::For& stmt, const LoopIterable& loop);
    void range_loop(const ast::For& stmt, const LoopIterable& loop, const Loop& context);
    void grid_loop(const ast::For& stmt, const LoopIterable& loop, const Loop& context);
    void mapping_loop(const ast::For& stmt, const LoopIterable& loop, const Loop& context);
    void bind_loop_targets(const ast::For& stmt, const ir::ExprVec& values, bool bind_tuple);
    bool leave_behind(std::string_view name, const ir::ExprRef& value);
    void bind_loop_variable(std::string_view name, Span span, const ir::ExprRef& value, const NameCounts& assigned);
    ir::StmtRef loop_body(const ast::For& stmt, const ir::ExprVec& values, bool bind_tuple, Loop context);
    ir::ExprRef loop_bound(const ir::ExprRef& bound, const ast::For& stmt, std::string_view name);
    void poison_target(const ast::Expr& target);
};

} // namespace hidet::lang
