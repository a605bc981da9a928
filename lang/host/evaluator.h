// SPDX-License-Identifier: Apache-2.0
// The host evaluator: runs the Python of a script at compile time, with budgets, in preview or in run mode.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/base/diagnostic.h"
#include "lang/host/engine.h"
#include "lang/host/ir_operations.h"
#include "lang/host/value.h"

namespace hidet::lang {

class Communication;
class GraphLanguage;
class ImportFiles;
class ValueObserver;

// Follows an evaluation by its steps; the same texts take the same ones.
class StepWatcher {
public:
    virtual ~StepWatcher() = default;
    // All that was charged before is done; what comes until the next call is not. False: the evaluation stops, as if cancelled.
    virtual bool reached(std::uint64_t steps) = 0;
};

enum class Mode : std::uint8_t { Preview, Run };

struct EvalOptions {
    Mode mode = Mode::Run;
    std::uint64_t max_steps = 200'000'000; // statements, expressions, and what costs.h counts as several
    std::uint64_t max_preview_steps = 50'000'000;
    std::uint64_t max_bytes = 4ull << 30; // of memory that the evaluation holds
    std::uint64_t max_preview_bytes = 1ull << 30;
    std::uint64_t max_ir_nodes = 5'000'000;
    std::uint64_t max_preview_ir_nodes = 500'000; // all stages of a pane keep some kilobytes for each
    int max_call_depth = 200;                     // host calls: RecursionError
    const std::atomic<bool>* cancelled = nullptr; // polled often
    std::string script_folder;                    // for sibling imports, and data files in run mode
    bool is_program = false; // of the user's, as a CPython process: its paths are those of the process
    std::shared_ptr<ImportFiles> imports = {};         // null: those of the disk
    StepWatcher* watcher = nullptr;                    // told every thousand steps, and of each import
    std::uint64_t seed = 0;                            // of randn and friends
    std::size_t max_stack_bytes = 4u << 20;            // and at most half of what the thread has
    ValueObserver* observer = nullptr;                 // watches every value, see value_observer.h
    std::shared_ptr<GraphLanguage> graphs = {};        // null: scripts that ask for models get a message
    std::shared_ptr<Communication> communication = {}; // null: a process is alone, and nothing is exchanged
};

enum class ModuleState : std::uint8_t { Built, Defined };
// One module that the script built (or would build), or had only defined when it ended: what stages, panes and `lower` show.
struct RecordedModule {
    ir::ModuleRef module;
    Span site;
    ModuleState state = ModuleState::Built;
    bool is_asked = false; // by a call that was asked for, and is not the script's own
};

// The first call that a script makes of a function of a module.
struct RecordedCall {
    ir::ModuleRef module;
    std::string function;
    std::vector<CallArgument> args; // what depends on data is 0, or a tensor without data
    Span site;
};

// A function of host code, as a caller sees it.
struct HostFunction {
    struct Param {
        std::string name;
        bool required = true;
    };
    std::string name;
    std::vector<Param> params;
    bool takes_more = false;    // *args or **kwargs
    bool makes_kernels = false; // defines decorated functions: a kernel factory
};

struct EvalResult {
    bool completed = false; // ran to the end of the file
    std::vector<RecordedModule> modules;
    std::vector<RecordedCall> calls; // in preview, where none is made
    std::string output;              // what print() and printf wrote, when there is no engine to print to
    std::uint64_t steps = 0;
};

// Where names are looked up and bound: module, function, class and comprehension scopes of host code, and the scopes of
// a script function being translated. Counted, because closures keep them: make them with `new` and hold them in a Ref.
class Environment : public Object {
public:
    virtual Value* find(std::string_view name) = 0;              // through enclosing scopes; null if unknown
    virtual void bind(const ast::Ident& name, Value value) = 0;  // assignment in this scope
    virtual void names(std::vector<std::string>& out) const = 0; // for suggestions
    virtual bool in_script() const { return false; }
    // Asked before a name is reported as unknown: throws a DiagnosticError when it knows more (defined in a closed branch, ...).
    virtual void explain_missing(std::string_view, Span) {}
};

class Evaluator {
public:
    Evaluator(SourceMap& sources, DiagnosticSink& sink, EvalOptions options, Engine* engine);
    ~Evaluator();

    EvalResult run(const ast::Module& module);

    // For lang/script and native modules.
    Value eval(const ast::Expr& expr, Environment& environment);
    Value call(const Value& callee, Args& args, Span span);
    Value call(const Value& callee, std::vector<Value> positional, Span span);
    Value attribute(const Value& object, std::string_view name, Span span);
    Value call_method(const Value& object, std::string_view name, Span span); // without arguments
    Value subscript(const Value& object, const Value& index, Span object_span, Span index_span);
    Value binary(ast::BinaryOp op, const Value& a, const Value& b, Span a_span, Span b_span);
    // Every item of an iterable; fails with a diagnostic when it is none.
    std::vector<Value> iterate(const Value& iterable, Span span);
    bool truth(const Value& value, Span span); // IR expressions and Unknown have no truth value: they throw
    std::string str(const Value& value);
    std::string repr(const Value& value);
    Value new_list(std::vector<Value> items);         // tracked: may hold itself
    Value new_str(std::string text);                  // charged to the budget
    void print(std::string_view text);                // to the engine, or into the result
    Value import(std::string_view module, Span span); // a row of modules.def, as a Module value
    void charge_steps(std::uint64_t steps, Span span);
    void charge_nodes(std::uint64_t nodes, Span span);

    const SourceMap& sources() const;
    DiagnosticSink& sink();
    const EvalOptions& options() const;
    Engine* engine(); // null in preview
    IrOperations& ir();
    EvalResult& result(); // modules are appended here
    bool in_preview() const { return options().mode == Mode::Preview; }

    // After run(), for who calls functions of the script.
    const Value* global(std::string_view name) const;  // null: there is none
    const Value* builtin(std::string_view name) const; // len, print, ...; the same
    std::vector<HostFunction> global_functions() const;
    // What is called from now on runs for real. Tensors that a preview made have no data: to use one is an error.
    void enter_run_mode(Engine& engine);
    // Nothing: the call failed, and the sink says why.
    std::optional<Value> try_call(const Value& callee, Args& args, Span span);

    struct Impl; // interpreter.h, for lang/host only
    Impl& impl() { return *m_impl; }

private:
    std::unique_ptr<Impl> m_impl;
};

// Thrown where a value is Unknown and a decision depends on it: ends the enclosing block silently.
struct UnknownValue {};

template <class... Values>
void want_known(const Values&... values) {
    if ((values.is(ValueKind::Unknown) || ...))
        throw UnknownValue{};
}

} // namespace hidet::lang
