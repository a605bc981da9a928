// SPDX-License-Identifier: Apache-2.0
// The evaluator's engine: each module that a script builds is given to the executor that fits it and the target.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "app/session/execute/executor.h"
#include "app/session/execute/gpu_holder.h"
#include "app/session/package/script_packages.h"
#include "app/session/script/replaced_modules.h"
#include "app/session/work/work.h"
#include "lang/host/engine.h"

namespace hidet::session {

class ScriptSchedules;

class ScriptEngine : public lang::Engine, public GpuHolder {
public:
    ScriptEngine(Work& work, const RunRequest& request);
    ScriptEngine(Work& work, const RunRequest& request, std::unique_ptr<Executor> emulator);
    ~ScriptEngine() override;

    Ref<lang::BuiltModule> build(const ir::ModuleRef& module, Span site, DiagnosticSink& sink) override;
    std::vector<Ref<lang::BuiltModule>> build_all(const std::vector<ir::ModuleRef>& modules, Span site,
                                                  DiagnosticSink& sink,
                                                  const std::function<void(std::size_t)>& built) override;
    bool call(lang::BuiltModule& module, const std::string& function, const std::vector<lang::CallArgument>& args,
              Span site, ReturnValue& result, DiagnosticSink& sink) override;
    bool save(lang::BuiltModule& module, const std::string& path, Span site, DiagnosticSink& sink) override;
    Ref<lang::BuiltModule> load(const lang::LoadOptions& options, DiagnosticSink& sink) override;
    bool has_cuda() const override { return device() != nullptr; }
    std::optional<lang::DeviceFacts> device_facts() const override;
    const artifact::TargetSpec* gpu() const override { return device() ? device()->gpu() : nullptr; }
    Gpu* own_gpu() const { return device() ? device()->own_gpu() : nullptr; } // null: kernels are emulated
    const std::optional<Error>& gpu_error() const { return m_gpu_error; }     // why there is no GPU, with --target cuda
    // False: the request wants a GPU, and there is none, which the work's sink knows.
    bool has_wanted_gpu() const;
    void differ(const lang::Difference& difference) override { m_difference = difference; }
    void print(std::string_view text) override;

    // What made the script's last check of tensors fail; nothing: none did.
    const std::optional<lang::Difference>& difference() const { return m_difference; }

    // What a module of the script was lowered from: what a person made of its IR, or the module itself.
    ir::ModuleRef origin_of(const ir::ModuleRef& script) const;

    // Before the script runs. False: what the request replaces cannot be, and the work's sink knows why.
    bool may_replace() const;
    void report_unknown_kernels(); // behind it
    RunSummary summary() const;

    // With RunRequest::keep_calls: the last call of each function of each module, in the order of the first.
    struct KeptCall {
        Ref<Executable> module;
        std::string function;
        std::vector<lang::CallArgument> args;
        Span site;
        SymbolValues symbols = {};
    };
    const std::vector<KeptCall>& kept_calls() const { return m_kept; }
    // Where modules are saved and loaded. Set by who runs the script; null: nowhere.
    std::shared_ptr<ScriptPackages> packages;
    std::shared_ptr<ScriptSchedules> schedules; // of the graphs that it builds; null likewise: nobody asks
    // Told of each call before it is made. Set by who runs the script.
    std::function<void(const KeptCall&)> before_call;
    std::function<void(const KeptCall&)> call_failed; // the same, of each that did

private:
    void keep(Executable& module, const FunctionCall& call);

    Executor& choose(const ir::Module& module);
    ir::ModuleRef replaced_by(const ir::ModuleRef& module, Span site, DiagnosticSink& sink);
    Ref<Executable> build_edited(const ir::ModuleRef& script, const ir::ModuleRef& edited, Span site,
                                 DiagnosticSink& sink);
    Executor* device() const; // null: kernels are emulated

    Work& m_work;
    const RunRequest& m_request;
    std::unique_ptr<Executor> m_emulator;
    std::unique_ptr<Executor> m_native; // made when the first module needs it
    // Opening a GPU takes up to a second, which a script without kernels need not wait for.
    mutable std::once_flag m_device_asked;
    mutable std::unique_ptr<Executor> m_device;
    mutable std::optional<Error> m_gpu_error;
    std::vector<Ref<Executable>> m_modules;
    ReplacedModules m_replaced;
    std::vector<KeptCall> m_kept;
    std::optional<lang::Difference> m_difference;
    int m_calls = 0;
};

} // namespace hidet::session
