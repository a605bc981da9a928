// SPDX-License-Identifier: Apache-2.0
// The inside of the evaluator: a walk over the syntax tree.
//
// Two kinds of C++ exceptions unwind it: DiagnosticError for what our own code finds wrong (with the Python exception
// that exceptions.def gives it) and RaisedError for what the script raises. Both can be caught by `except`. A third,
// UnknownValue, exists in preview only: a decision would depend on data that is not there. It ends at the innermost
// expression, statement or call that can give Unknown instead.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/base/check.h"
#include "lang/base/memory_meter.h"
#include "lang/host/costs.h"
#include "lang/host/evaluator.h"
#include "lang/host/objects.h"
#include "lang/host/scope.h"
#include "lang/tensor/random.h"

namespace hidet::lang {

struct MethodRow;
enum class Flow : std::uint8_t { Next, Break, Continue, Return };

// What a running function has besides its scope.
struct Frame {
    Value returned;
    FunctionObject* function = nullptr;
    Value self;                 // the first argument, for super()
    std::vector<Value> handled; // exceptions of the `except` clauses that run
};

// An exception instance also remembers where it came from.
struct ExceptionObject : InstanceObject {
    std::optional<Diagnostic> diagnostic; // when it began as one
    Span raised_at;
    std::vector<Note> notes;
};

// str(exception), or what BaseException.__str__ makes of the arguments.
enum class ExceptionText : std::uint8_t { AsStr, OfArguments };

struct RaisedError {
    Ref<ExceptionObject> exception;
};

// A diagnostic whose exception has other args than its message, as KeyError has the key.
struct HostError : DiagnosticError {
    HostError(Diagnostic diagnostic, std::vector<Value> args)
        : DiagnosticError(std::move(diagnostic)), args(std::move(args)) {}
    std::vector<Value> args;
};

struct Evaluator::Impl {
    Impl(Evaluator& self, SourceMap& sources, DiagnosticSink& sink, EvalOptions options, Engine* engine);
    ~Impl();

    // ---- statements (exec.cpp; assert and raise in exceptions.cpp) ----
    void run_module(const ast::Module& module);
    void exec_top_level(ast::Block block, Scope& scope);
    Flow exec_block(ast::Block block, Scope& scope, Frame& frame);
    Flow exec(const ast::Stmt& statement, Scope& scope, Frame& frame);
    Flow exec_statement(const ast::Stmt& statement, Scope& scope, Frame& frame);
    Flow exec_if(const ast::If& statement, Scope& scope, Frame& frame);
    template <class Loop>
    Flow exec_loop(const Loop& statement, Span head, const std::function<bool()>& next, Scope& scope, Frame& frame);
    Flow exec_for(const ast::For& statement, Scope& scope, Frame& frame);
    Flow exec_while(const ast::While& statement, Scope& scope, Frame& frame);
    Flow exec_with(const ast::With& statement, std::size_t item, Scope& scope, Frame& frame);
    Flow exec_try(const ast::Try& statement, Scope& scope, Frame& frame);
    Flow handle(const ast::Try& statement, const Ref<ExceptionObject>& exception, bool& handled, Scope& scope,
                Frame& frame);
    void exec_assert(const ast::Assert& statement, Scope& scope);
    [[noreturn]] void exec_raise(const ast::Raise& statement, Scope& scope, Frame& frame);
    void exec_aug_assign(const ast::AugAssign& statement, Scope& scope);
    void exec_delete(const ast::Expr& target, Scope& scope);
    void assign(const ast::Expr& target, Value value, Environment& environment);
    void name_given(std::string_view name, const Value& value);
    void unpack(ast::ExprList targets, const Value& value, Span span, Environment& environment);
    // Preview: the names that a statement would have bound become Unknown.
    void poison(const ast::Stmt& statement, Scope& scope);

    Span first_word(Span span) const;

    // ---- definitions (define.cpp) ----
    void note_annotation(Scope& scope, const ast::AnnAssign& statement); // of a class, for dataclass
    void define_function(const ast::FunctionDef& def, Scope& scope);
    void define_class(const ast::ClassDef& def, Scope& scope, Frame& frame);
    Ref<FunctionObject> make_function(std::string name, std::span<ast::Param> params, Environment& environment,
                                      Span span);
    Value apply_decorator(const Value& decorator, const Value& value, Span span);

    // ---- imports (imports.cpp) ----
    void exec_import(const ast::Import& statement, Scope& scope);
    void exec_import_from(const ast::ImportFrom& statement, Scope& scope);
    HostModuleRef import_module(std::string_view dotted, Span span);
    HostModuleRef find_module(std::string_view dotted); // rows and what is loaded; null
    HostModuleRef import_folder(const std::string& dotted);
    HostModuleRef import_file(const std::string& dotted, Span span);
    HostModuleRef import_library(const std::string& dotted, Span span);
    HostModuleRef run_module(const std::string& dotted, FileId id, Span span);
    FileId read_import(const std::string& dotted, const std::string& path, Span span);
    std::optional<Value> module_attribute(HostModule& module, std::string_view name, Span span);

    // ---- expressions (eval.cpp) ----
    Value eval(const ast::Expr& expr, Environment& environment) {
        return options.observer ? eval_observed(expr, environment) : eval_expr(expr, environment);
    }
    Value eval_observed(const ast::Expr& expr, Environment& environment);
    Value eval_expr(const ast::Expr& expr, Environment& environment);
    Value eval_name(const ast::Name& name, Environment& environment);
    Value eval_constant(const ast::Constant& constant);
    Value eval_fstring(const ast::FString& text, Environment& environment);
    Value eval_bool_op(const ast::BoolOp& expr, Environment& environment);
    Value eval_compare(const ast::Compare& expr, Environment& environment);
    struct Compared {
        Value value;
        Span span;
    };
    Value compare_on(const ast::Compare& expr, std::size_t at, Compared left, Environment& environment);
    Value eval_if_exp(const ast::IfExp& expr, Environment& environment);
    Value eval_call(const ast::Call& call, Environment& environment);
    Value eval_comprehension(const ast::Comprehension& expr, Environment& environment);
    Value eval_lambda(const ast::Lambda& expr, Environment& environment);
    Value eval_slice(const ast::Slice& expr, Environment& environment);
    Value eval_super(const ast::Call& call, Environment& environment);
    Args eval_args(const ast::Call& call, Environment& environment);
    std::vector<Value> eval_items(ast::ExprList items, Environment& environment);
    std::shared_ptr<const ScopeLayout> layout_of_comprehension(const ast::Comprehension& expr);
    Value with_data(Value value, Span span); // script_functions.cpp: fails where a preview left a tensor without data
    [[noreturn]] void unknown_name(const ast::Name& name, Environment& environment);

    // ---- calls (calls.cpp) ----
    Value call(const Value& callee, Args& args, Span span);
    Value call_function(FunctionObject& function, Args& args, Span span, const Value* self);
    void keep_arguments(Args& args, Span span);
    void bind_arguments(FunctionObject& function, Args& args, Span span, Scope& scope);
    Value construct(ClassObject& type, Args& args, Span span);
    // object.name(args...), or nothing when the class has no such method.
    std::optional<Value> call_method(const Value& object, std::string_view name, std::vector<Value> args, Span span);

    // ---- attributes (attributes.cpp) ----
    std::optional<Value> get_attribute(const Value& object, std::string_view name, Span span);
    Value attribute(const Value& object, std::string_view name, Span span);
    void set_attribute(const Value& object, const ast::Ident& name, const Value& value);
    void delete_attribute(const Value& object, const ast::Ident& name);
    std::vector<std::string> attribute_names(const Value& object);
    Value bind_method(const Value& function, const Value& self, ClassObject* type);
    Ref<ClassObject> class_of(const Value& value);
    bool is_instance(const Value& value, const Value& types, Span span);

    // ---- subscripts (subscript.cpp) ----
    Value subscript(const Value& object, const Value& index, Span object_span, Span index_span);
    void set_item(const Value& object, const Value& index, const Value& value, Span object_span, Span index_span);
    void delete_item(const Value& object, const Value& index, Span object_span, Span index_span);

    // ---- iteration (iterate.cpp) ----
    Ref<IteratorObject> iterator(const Value& iterable, Span span);
    Value new_iterator(std::string name, std::function<bool(Evaluator&, Value&)> next);

    // ---- exceptions (exceptions.cpp) ----
    Ref<ClassObject> exception_class(std::string_view name);
    Ref<ExceptionObject> make_exception(const Ref<ClassObject>& type, std::vector<Value> args, Span span);
    Ref<ExceptionObject> exception_of(const DiagnosticError& error);
    Ref<ExceptionObject> exception_of(const Value& raised, Span span);
    std::string exception_text(const ExceptionObject& exception, ExceptionText which = ExceptionText::AsStr);
    static bool exit_is_clean(const ExceptionObject& exit); // SystemExit: no argument, None or 0
    void report(const DiagnosticError& error);
    void report(const RaisedError& error);
    [[noreturn]] void raise(std::string_view type, std::vector<Value> args, Span span);
    static bool is_too_deep(const InternalError& error); // a value or a program that a script nests without end
    static bool can_be_caught(const Diagnostic& diagnostic);

    // ---- budgets (interpreter.cpp) ----
    void charge_steps(std::uint64_t count, Span span) {
        steps += std::min(count, std::uint64_t{1} << 60); // so that no sum goes over
        if (steps >= next_check)
            check_steps(span);
    }
    std::uint64_t step_limit() const {
        return self.in_preview() ? std::min(options.max_steps, options.max_preview_steps) : options.max_steps;
    }
    std::uint64_t most_nodes() const {
        return self.in_preview() ? std::min(options.max_ir_nodes, options.max_preview_ir_nodes) : options.max_ir_nodes;
    }
    std::uint64_t byte_limit() const {
        return self.in_preview() ? std::min(options.max_bytes, options.max_preview_bytes) : options.max_bytes;
    }
    void set_meter();
    DiagnosticError too_many_steps(Span span) const;
    // Work on many items that runs no step of its own: before it begins.
    void charge_items(std::uint64_t count, Span span) { charge_steps(count / 16, span); }
    void charge_text(const Value& text, Span span);
    void charge_search(const Value& text, std::size_t longest, Span span); // of what has up to so many bytes
    // The diagnostic with what was meant, if it is close.
    DiagnosticError suggesting(Diagnostic diagnostic, Span span, std::string_view word,
                               const std::vector<std::string>& names);
    Value call_row(const MethodRow& row, const Value& object, Args& args, Span span);
    void check_steps(Span span);
    void begin_stack(); // where evaluation begins on a thread
    // Whatever calls itself through values or code of the script asks this first, in each round.
    void check_stack(Span span) {
        if (static_cast<const char*>(__builtin_frame_address(0)) < stack_floor)
            fail(DiagId::NestedTooDeep, span);
    }
    // Memory is counted where it is taken. This is for who asks for much at once, and knows the place better.
    void check_bytes(std::uint64_t bytes, Span span);
    DiagnosticError stopped(const MeterStop& stop, Span span);
    Value new_sequence(ValueKind kind, std::vector<Value> items);
    Value new_list(std::vector<Value> items);
    Value new_dict();
    Value new_set();
    Value new_instance(Ref<ClassObject> type); // before its __init__()
    Ref<ClassObject> new_class(std::string name, Ref<ClassObject> base);
    template <class T>
    void track(T& object) {
        heap.track(object, object.link);
    }
    const Value& builtin(std::string_view name);
    Ref<ClassObject> builtin_class(std::string_view name);
    void print(std::string_view text);
    void run_studio_comments(const ast::Module& module, Scope& scope);

    Evaluator& self;
    SourceMap& sources;
    DiagnosticSink& sink;
    EvalOptions options;
    Engine* engine;
    EvalResult result;

    Heap heap;
    MemoryMeter meter;
    std::uint64_t steps = 0;
    std::uint64_t next_check = 0;
    std::uint64_t nodes = 0;
    int call_depth = 0;
    int translation_errors = 0;         // of script functions, which only end what needs them
    bool was_previewed = false;         // and runs now
    const char* stack_floor = nullptr;  // evaluation ends where the stack would go below it
    Span current;                       // the innermost call, for errors of code that has no span
    std::vector<const Object*> written; // the containers whose text is being made, from the outermost

    std::unique_ptr<IrOperations> ir;
    NameTable builtins;
    Ref<Environment> builtin_scope;
    std::map<std::string, HostModuleRef, std::less<>> modules;
    std::map<std::string, Ref<ClassObject>, std::less<>> native_classes;
    std::vector<std::string> importing;
    std::vector<std::shared_ptr<Arena>> arenas;
    std::unordered_map<const ast::Node*, std::shared_ptr<const ScopeLayout>> layouts;
    std::vector<Frame*> frames;
    std::uint64_t next_id = 1;
    std::unordered_map<const void*, std::uint64_t> ids;
    Random random;
    NameTable option_values; // hidet.option
};

} // namespace hidet::lang
