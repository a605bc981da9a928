// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/script.h"

#include <algorithm>

#include "app/session/work/refusal.h"
#include "compiler/ir/packing.h"
#include "lang/base/ranges.h"

namespace hidet::session {

namespace {

// `launch` of a module and the only kernel that it launches are the same call.
bool same_function(const Callable& callable, const ir::ModuleRef& module, const std::string& called) {
    return callable.module == module && callable.callee == called;
}

bool is_called(const Callable& callable, const std::string& name) {
    return callable.name == name || (name == "launch" && callable.is_launch);
}

std::vector<std::string> quoted_names(const std::vector<Callable>& callables) {
    std::vector<std::string> names;
    for (const Callable& callable : callables) {
        std::string name = "'" + callable.name + "'";
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    }
    return names;
}

} // namespace

KernelBenchScript::KernelBenchScript(Work& work, const RunRequest& request)
    : m_work(work), m_request(request), m_engine(std::make_unique<ScriptEngine>(work, request)) {}

bool KernelBenchScript::is_meant(const std::string& called, const ir::ModuleRef& module,
                                 const std::string& function) const {
    if (function.empty() || function == called)
        return true;
    std::vector<Callable> all = callables_of(module, 0, {});
    return std::any_of(all.begin(), all.end(), [&](const Callable& callable) {
        return callable.name == function && same_function(callable, module, called);
    });
}

// Of each module, for their numbers are known at the end only.
void KernelBenchScript::keep_first(const ScriptEngine::KeptCall& call, const std::string& function) {
    const ir::ModuleRef& script = call.module->script;
    bool known = std::any_of(m_first.begin(), m_first.end(), [&](const FirstCall& first) {
        return first.module == script && first.function == call.function;
    });
    if (!known && is_meant(call.function, script, function))
        m_first.push_back({script, call.function, {copy_of(call.args), true}});
}

// A GPU takes its memory along when a kernel breaks it, and whoever looks at the values wants those that the kernel got.
void KernelBenchScript::keep_before(const ScriptEngine::KeptCall& call, const std::string& function) {
    constexpr std::int64_t most_bytes = std::int64_t{64} << 20; // of all tensors of a call
    m_before.clear();
    if (!m_request.tiles_of || !call.module->executor.gpu() || !is_meant(call.function, call.module->script, function))
        return;
    std::int64_t bytes = 0;
    for (const lang::CallArgument& arg : call.args)
        if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value); tensor && *tensor)
            bytes += ir::packed_bytes((*tensor)->dtype, (*tensor)->count());
    if (bytes <= most_bytes)
        m_before = copy_of(call.args);
}

// Modules share what executes them, so that its launches are those of the call that was made last.
void KernelBenchScript::begin_call(const ScriptEngine::KeptCall& call) {
    end_call();
    std::erase_if(m_last, [&](const LastCall& known) {
        return known.module.get() == call.module.get() && known.function == call.function;
    });
    call.module->executor.launches.clear();
    m_last.push_back({call.module, call.function, {}});
}

void KernelBenchScript::end_call() {
    if (!m_last.empty() && m_last.back().launches.empty())
        m_last.back().launches = m_last.back().module->executor.launches;
}

bool KernelBenchScript::evaluate(Evaluate how, const std::vector<std::string>& calls, const std::string& function) {
    if (how == Evaluate::Run) {
        m_engine->before_call = [&](const ScriptEngine::KeptCall& call) {
            keep_first(call, function);
            keep_before(call, function);
            begin_call(call);
        };
        m_engine->call_failed = [&](const ScriptEngine::KeptCall& call) {
            m_failed = call;
            if (call.module->executor.gpu())
                m_failed->args = std::move(m_before);
        };
        m_script = run_script(m_work, m_request, *m_engine);
        m_engine->before_call = nullptr;
        m_engine->call_failed = nullptr;
        end_call();
    } else {
        m_script = preview_script(m_work, m_request.source, calls);
        for (const lang::RecordedCall& call : m_script.result.calls)
            m_first.push_back({call.module, call.function, {call.args, false}});
    }
    return m_script.evaluator != nullptr;
}

std::vector<Callable> KernelBenchScript::callables(int module) const {
    std::vector<Callable> out;
    int number = 0;
    for (const lang::RecordedModule& recorded : m_script.result.modules) {
        if (!recorded.module || !is_wanted(m_script.result, recorded.is_asked, ++number, module))
            continue;
        for (Callable& callable : callables_of(recorded.module, number, recorded.site))
            out.push_back(std::move(callable));
    }
    return out;
}

std::optional<Callable> KernelBenchScript::find(const std::string& function, int module) {
    std::vector<Callable> all = callables(module);
    if (all.empty()) {
        if (!m_work.sink.has_errors())
            m_work.sink.report(DiagId::TryNothing, {}, name());
        return std::nullopt;
    }
    if (!function.empty()) {
        for (const Callable& callable : all)
            if (is_called(callable, function))
                return callable;
        const std::vector<std::string> names = transformed(all, &Callable::name);
        report_wrong_usage(m_work,
                           Diagnostic::make(DiagId::NoSuchFunction, {}, name(), function).suggest({}, function, names));
        return std::nullopt;
    }
    for (const FirstCall& first : m_first)
        for (const Callable& callable : all)
            if (same_function(callable, first.module, first.function))
                return callable;
    bool one_module = std::all_of(all.begin(), all.end(), [&](const Callable& c) { return c.number == all[0].number; });
    if (all.size() == 1 || (one_module && all[0].is_launch))
        return all[0];
    report_wrong_usage(m_work, Diagnostic::make(DiagId::TryWhich, {}, name(), join(quoted_names(all), ", ")));
    return std::nullopt;
}

std::optional<Callable> KernelBenchScript::callable_of(const ScriptEngine::KeptCall& call) const {
    for (const Callable& callable : callables(0))
        if (same_function(callable, call.module->script, call.function))
            return callable;
    return std::nullopt;
}

bool KernelBenchScript::has(const std::string& function) const {
    return std::ranges::any_of(callables(0), [&](const Callable& each) { return is_called(each, function); });
}

const ScriptArguments* KernelBenchScript::first_call(const Callable& callable) const {
    for (const FirstCall& first : m_first)
        if (same_function(callable, first.module, first.function))
            return &first.args;
    return nullptr;
}

Ref<Executable> KernelBenchScript::build(const Callable& callable) {
    for (const auto& [module, executable] : m_executables)
        if (module == callable.module)
            return executable;
    Ref<lang::BuiltModule> built = m_engine->build(callable.module, callable.site, m_work.sink);
    if (!built)
        return nullptr;
    Ref<Executable> executable(static_cast<Executable*>(built.get()));
    m_executables.emplace_back(callable.module, executable);
    return executable;
}

const KernelBenchScript::LastCall* KernelBenchScript::last_call(const Callable& callable) const {
    for (const LastCall& call : m_last)
        if (same_function(callable, call.module->script, call.function))
            return &call;
    return nullptr;
}

const ScriptEngine::KeptCall* KernelBenchScript::failed_call(const Callable& callable) const {
    const bool is_of = m_failed && same_function(callable, m_failed->module->script, m_failed->function);
    return is_of ? &*m_failed : nullptr;
}

bool KernelBenchScript::call(Executable& module, const Callable& callable, const Arguments& args, ReturnValue* result) {
    module.executor.launches.clear();
    ReturnValue ignored;
    return m_engine->call(module, callable.callee, args, callable.site, result ? *result : ignored, m_work.sink);
}

} // namespace hidet::session
