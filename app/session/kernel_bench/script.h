// SPDX-License-Identifier: Apache-2.0
// The script of a benchmark: run, or evaluated without data; then its functions can be called with other arguments.
#pragma once

#include <memory>
#include <optional>

#include "app/session/kernel_bench/arguments.h"
#include "app/session/script/script_run.h"

namespace hidet::session {

class KernelBenchScript {
public:
    // The request lives as long as this.
    KernelBenchScript(Work& work, const RunRequest& request);

    enum class Evaluate : std::uint8_t { Run, Preview };
    // The first calls of the function are kept (empty: of all). False: nothing can be tried.
    bool evaluate(Evaluate how, const std::vector<std::string>& calls, const std::string& function);

    // The function that is meant; nothing: the reason is in the work's sink.
    std::optional<Callable> find(const std::string& function, int module);
    // That of a call which the script made; nothing: it is of a module that is not the script's own.
    std::optional<Callable> callable_of(const ScriptEngine::KeptCall& call) const;
    bool has(const std::string& function) const;
    // What the script passes to it in its first call; null: it makes none.
    const ScriptArguments* first_call(const Callable& callable) const;
    const lang::EvalResult& result() const { return m_script.result; }

    lang::Evaluator& evaluator() { return *m_script.evaluator; }
    ScriptEngine& engine() { return *m_engine; }
    const std::string& name() const { return m_request.source.name; }

    // Compiles the function's module for the target; null: the reason is in the work's sink.
    Ref<Executable> build(const Callable& callable);
    bool call(Executable& module, const Callable& callable, const Arguments& args, ReturnValue* result = nullptr);
    struct LastCall {
        Ref<Executable> module;
        std::string function;
        std::vector<KernelLaunch> launches;
    };
    // The last of the script's own calls of the function; null: it makes none.
    const LastCall* last_call(const Callable& callable) const;
    // That of them which failed, with the tensors as they were left, on a GPU as they were before; without arguments where
    // that is not known. Null: none of this function did.
    const ScriptEngine::KeptCall* failed_call(const Callable& callable) const;

private:
    struct FirstCall {
        ir::ModuleRef module;
        std::string function;
        ScriptArguments args;
    };
    void keep_first(const ScriptEngine::KeptCall& call, const std::string& function);
    void keep_before(const ScriptEngine::KeptCall& call, const std::string& function);
    void begin_call(const ScriptEngine::KeptCall& call);
    void end_call();
    std::vector<Callable> callables(int module) const;
    bool is_meant(const std::string& called, const ir::ModuleRef& module, const std::string& function) const;

    Work& m_work;
    const RunRequest& m_request;
    std::unique_ptr<ScriptEngine> m_engine;
    EvaluatedScript m_script; // dies before the engine that it may call
    std::vector<FirstCall> m_first;
    std::vector<LastCall> m_last; // of each function; the back is the one that was called last
    Arguments m_before;           // of the call under way, on a GPU
    std::optional<ScriptEngine::KeptCall> m_failed;
    std::vector<std::pair<ir::ModuleRef, Ref<Executable>>> m_executables;
};

} // namespace hidet::session
