// SPDX-License-Identifier: Apache-2.0
// What the evaluator needs from the rest of the program to build and run kernels; implemented by the session. In preview
// there is no engine: build() records the module and calls of its functions are recorded, not run.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/ir/func.h"
#include "lang/base/diagnostic.h"
#include "lang/base/result.h"
#include "lang/base/symbol_values.h"
#include "lang/tensor/close.h"
#include "lang/tensor/tensor.h"

namespace hidet::lang {

struct CallArgument {
    std::variant<std::int64_t, double, TensorRef, std::string> value; // bool is 0 or 1; None is a null TensorRef
    std::string name;                                                 // how findings call it: the parameter's name
    Span span;
};

// A built module: lowered, and compiled for the target. Shared by everything that refers to it.
class BuiltModule : public RefCounted {
public:
    ~BuiltModule() override = default;
    virtual const ir::ModuleRef& lowered() const = 0;
    virtual std::string source() const = 0; // module.source(): text headed by a line that says what it is
};

// What assert_close, allclose or equal found to differ.
struct Difference {
    TensorRef actual, expected; // of the same shape, with data
    Tolerance tolerance;
    Span site;        // of the call
    Span actual_site; // of its argument; nothing: unknown
};

// A package that a script wants.
struct LoadOptions {
    std::string path;  // as the script says it
    std::string entry; // empty: the first, or all of a module
    std::optional<Device> device;
    bool trusts = false; // machine code of the package for the CPU may run
    Span site;
};

// The GPU that kernels are launched on, or that they are emulated for: by the names of CUDA's properties.
struct DeviceFacts {
    std::string name;
    int major = 0, minor = 0; // of its compute capability
    std::vector<std::pair<const char*, std::int64_t>> properties = {};
};

struct Exchange; // modules/communication.h

class Engine {
public:
    virtual ~Engine() = default;
    // Lowers and compiles. User mistakes are reported to the sink and give null.
    virtual Ref<BuiltModule> build(const ir::ModuleRef& module, Span site, DiagnosticSink& sink) = 0;
    // Several modules, which may be compiled at the same time; null for those that could not be built. `built` is told
    // after each of them how many there are.
    virtual std::vector<Ref<BuiltModule>> build_all(const std::vector<ir::ModuleRef>& modules, Span site,
                                                    DiagnosticSink& sink,
                                                    const std::function<void(std::size_t)>& built) {
        std::vector<Ref<BuiltModule>> all;
        for (const ir::ModuleRef& module : modules) {
            all.push_back(build(module, site, sink));
            if (built)
                built(all.size());
        }
        return all;
    }
    // Runs a function of the module. Findings are reported to the sink; returns false if the call failed. `result` is what
    // the function returned (monostate for void).
    virtual bool call(BuiltModule& module, const std::string& function, const std::vector<CallArgument>& args,
                      Span site, std::variant<std::monostate, std::int64_t, double>& result, DiagnosticSink& sink) = 0;
    // A module as a package, and the module of one, whose lowered() are its functions without their bodies. False and null:
    // the sink says why.
    virtual bool save(BuiltModule&, const std::string&, Span site, DiagnosticSink& sink) {
        sink.report(DiagId::BadValue, site, "modules are saved by 'hidetc run', and not by what evaluates this script");
        return false;
    }
    virtual Ref<BuiltModule> load(const LoadOptions& options, DiagnosticSink& sink) {
        sink.report(DiagId::BadValue, options.site,
                    "packages are loaded by 'hidetc run', and not by what evaluates this script");
        return nullptr;
    }
    virtual bool has_cuda() const = 0; // a real GPU
    virtual std::optional<DeviceFacts> device_facts() const { return std::nullopt; }
    // Dynamic dimensions of the calls that follow, where the shapes of their arguments do not say them.
    SymbolValues symbols;
    // Exchanges tensors with the other processes of a group, by its number: 0 is that of all of them. Null: this process is
    // in none.
    std::function<Result<void>(std::int64_t group, const Exchange& exchange)> exchange;
    struct Place {
        int rank = 0, size = 1;
    };
    std::optional<Place> place; // in the group of all of them; nothing: in none
    // A check of the script may be about to fail.
    virtual void differ(const Difference& difference) { static_cast<void>(difference); }
    // Text that the script or a kernel prints.
    virtual void print(std::string_view text) = 0;
};

} // namespace hidet::lang
