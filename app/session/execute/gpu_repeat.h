// SPDX-License-Identifier: Apache-2.0
// What the executor of a GPU and its measurements share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/session/execute/machine_arguments.h"
#include "app/session/execute/timeline_view.h"
#include "runtime/cuda/backend.h"

namespace hidet::session {

class GpuModule : public Executable {
public:
    using Executable::Executable;
    artifact::Program program; // of host functions; its kernels are declarations
    // Where its kernels have marks: their sites, and the same module without.
    artifact::MarkTable marks;
    Ref<GpuModule> unmarked;
    MarksSource marks_source;
};

struct Gpu {
    Gpu(std::shared_ptr<cuda::Stream> stream, vm::MachineOptions options)
        : modules(stream->shared_context()), backend(std::move(stream)), machine(with(std::move(options))) {}
    const cuda::DeviceProperties& device() const { return backend.stream()->context().device(); }

    cuda::ModuleCache modules;
    cuda::Backend backend;
    vm::Machine machine;
    bool waits = true; // RunRequest::waits

private:
    vm::MachineOptions with(vm::MachineOptions options) {
        options.backend = &backend;
        return options;
    }
};

// Puts a tensor on the device, unless it is there.
Result<std::uint64_t> place_on_device(Gpu& gpu, lang::Tensor& tensor, const std::string& name);

TensorPlacer device_placer(Gpu& gpu); // likewise

class GpuArguments {
public:
    GpuArguments(Gpu& gpu, const ir::Function& callee, const FunctionCall& call, TensorPlacer placer);
    const std::vector<lang::CallArgument>& args() const { return m_args; }
    const std::vector<vm::Argument>& values() const { return m_arguments.values(); }
    const std::optional<Error>& error() const { return m_arguments.error(); }
    void mark_newer(); // the device may have written all of them

private:
    const std::vector<lang::CallArgument> m_args;
    TensorPlacer m_placer;
    MachineArguments m_arguments;
};

class GpuRepeat : public Repeat {
public:
    GpuRepeat(Gpu& gpu, GpuModule& module, const FunctionCall& call);
    Result<void> once() override; // launches, and waits
    Result<void> start();         // launches
    GpuRepeat* on_gpu() override { return this; }
    Gpu& gpu() { return m_gpu; }
    void report(const Error& error, Span site, DiagnosticSink& sink); // of it, or of calls behind it
    const std::vector<lang::CallArgument>& args() const { return m_arguments.args(); }
    // The same call where the placer puts its tensors. It belongs to this one: what both use is unmapped once.
    GpuRepeat& elsewhere(TensorPlacer placer);

private:
    GpuRepeat(Gpu& gpu, GpuModule& module, const FunctionCall& call, TensorPlacer placer);

    Gpu& m_gpu;
    GpuModule& m_module;
    std::string m_function;
    Span m_site;
    SymbolValues m_symbols;
    GpuArguments m_arguments;
    std::vector<std::unique_ptr<GpuRepeat>> m_elsewhere;
};

} // namespace hidet::session
