// SPDX-License-Identifier: Apache-2.0
// Where the functions of built modules run: in the virtual machine, as compiled C++, or on a GPU. One file each.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "app/session/work/work.h"
#include "compiler/artifact/launch_shape.h"
#include "lang/base/result.h"
#include "lang/base/symbol_values.h"
#include "lang/host/engine.h"

namespace hidet::vm {
struct DeviceLaunch;
class OwnerMap;
} // namespace hidet::vm
namespace hidet::artifact {
struct TargetSpec;
}

namespace hidet::session {

class Executor;
class LaunchRecord;

// A module as one executor holds it.
class Executable : public lang::BuiltModule {
public:
    Executable(Executor& executor, ir::ModuleRef script) : executor(executor), script(std::move(script)) {}
    const ir::ModuleRef& lowered() const override { return module; }
    std::string source() const override; // the CUDA C++ or C++ of the module

    Executor& executor;
    // What it was lowered from.
    const ir::ModuleRef& origin() const { return edited ? edited : script; }

    ir::ModuleRef script; // as the script made it
    ir::ModuleRef edited; // what a person made of its IR, which runs in its place; null: nothing
    ir::ModuleRef module; // lowered as far as the executor takes it
    bool called = false;
    // Where it, or a kernel of it, runs from a text of the user's: the same module as it was generated.
    Ref<Executable> generated;
};

using ReturnValue = std::variant<std::monostate, std::int64_t, double>;

// The last launch of a kernel, and how many there were.
struct KernelLaunch {
    std::string kernel;
    artifact::LaunchShape shape;
    std::int64_t count = 0;
};

// What a block of an emulated kernel left in shared memory, or its threads in registers.
struct KernelTile {
    std::string kernel;
    std::string name;
    std::array<std::int64_t, 3> block{};
    lang::TensorRef values;    // each element where its index says, however its layout has it in memory
    lang::TensorRef written;   // likewise, whether something was written to it; null: all of it was
    bool is_registers = false; // of threads, which are the first dimension where no layout spreads elements over them
    Place found = {};          // as it was at a finding there; not known: as it was left
    bool is_asked = true;      // of the block that was asked for
};

struct FunctionCall {
    const std::string& function;
    const std::vector<lang::CallArgument>& args;
    Span site;
    SymbolValues symbols = {}; // values of dynamic dimensions beside those that the arguments' shapes say
};

// A call that can be made again and again, on the same memory.
struct Gpu;
class GpuRepeat;
class Repeat {
public:
    virtual ~Repeat() = default;
    virtual Result<void> once() = 0;                // waits until it has been done
    virtual GpuRepeat* on_gpu() { return nullptr; } // null: it is timed by the clock of the host
};

class Executor {
public:
    virtual ~Executor() = default;
    // Null: the reason is in the sink.
    virtual Ref<Executable> build(const ir::ModuleRef& module, Span site, DiagnosticSink& sink) = 0;
    // Null for those that could not be built. `done` is told how many were.
    using Built = std::function<void(std::size_t)>;
    virtual std::vector<Ref<Executable>> build_all(const std::vector<ir::ModuleRef>& modules, Span site,
                                                   DiagnosticSink& sink, const Built& done);
    // False: the call failed, and the sink says why.
    virtual bool call(Executable& module, const FunctionCall& call, ReturnValue& result, DiagnosticSink& sink) = 0;
    // The call, prepared; its arguments live as long as what is returned.
    virtual std::unique_ptr<Repeat> prepare(Executable& module, const FunctionCall& call) = 0;
    // What a call that was made launches, to launch it again. Null: that does not follow from shapes and numbers alone.
    virtual std::unique_ptr<LaunchRecord> record(Executable& module, const FunctionCall& call);
    virtual void add_to(RunSummary& summary) const = 0;
    virtual std::string name() const = 0; // for people: "emulator", "CPU, 2 threads"
    virtual bool emulates() const { return false; }
    // Kernels that were to be replaced, and that no module has.
    virtual void report_unknown_kernels(DiagnosticSink& /*sink*/) const {}
    virtual const artifact::TargetSpec* gpu() const { return nullptr; }
    virtual Gpu* own_gpu() { return nullptr; } // that it launches on
    // What went wrong with a call that somebody else had prepared.
    virtual void report(const Error& error, const std::string& function, Span site, DiagnosticSink& sink) {
        sink.report(DiagId::NativeCallFailed, site, function, error.message);
    }

    // With RunRequest::keep_calls: what was launched since this was last cleared, in the order of the first launches.
    std::vector<KernelLaunch> launches;
    std::vector<KernelTile> tiles; // with RunRequest::tiles_of: of the last call

    // Who writes which element, of calls that are made again to find out: they are not counted, and what they print is dropped.
    bool finds_owners = false;
    std::vector<std::shared_ptr<const vm::OwnerMap>> owners; // of the last such call, by argument; null: no tensor

protected:
    std::function<void(const vm::DeviceLaunch&)> launch_keeper(const RunRequest& request); // null: nobody asks
};

std::unique_ptr<Executor> make_emulator(Work& work, const RunRequest& request);

// Null when this machine has no C++ compiler.
std::unique_ptr<Executor> make_native(Work& work, const RunRequest& request);

// Null when there is no GPU here; a GPU that cannot be used is the error.
Result<std::unique_ptr<Executor>> make_device(Work& work, const RunRequest& request);

void mark_written(const std::vector<lang::CallArgument>& args); // the tensors of a call that was made
bool has_gpu_kernel(const ir::Module& module);
// Dynamic dimensions get their values from the shapes of the arguments.
SymbolValues symbols_of(const ir::Function& callee, const std::vector<lang::CallArgument>& args);
SymbolValues symbols_of(const ir::Function& callee, const FunctionCall& call);

} // namespace hidet::session
