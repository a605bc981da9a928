// SPDX-License-Identifier: Apache-2.0
// The parameters of a function as a caller sees them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/kernel_bench/kernel_bench.h"
#include "compiler/analysis/work.h"
#include "compiler/ir/func.h"
#include "lang/host/engine.h"

namespace hidet::session {

// The type of the elements that a tensor for this parameter holds, or of the scalar; nothing: no number.
std::optional<ir::DType> dtype_of(const ir::Var& parameter);
ParameterKind kind_of(const ir::Var& parameter);
ParameterView view_of(const ir::Var& parameter, const compiler::ParameterAccess& access);
std::string type_text(const ParameterView& parameter); // "f32[m, 80]", "a pointer to f32", "i32"

std::string extents_text(const std::vector<std::int64_t>& shape); // "[64, 80]"
// "f32[64, 80], 64": all arguments.
std::string arguments_text(const std::vector<lang::CallArgument>& args);

// A function that can be called: what the script names, and what an engine calls for it.
struct Callable {
    ir::ModuleRef module; // as the script made it; reduced to one kernel where that has no function to launch it
    int number = 0;       // of the module
    Span site;
    std::string name;                       // as the script or the user says it
    std::string callee;                     // as the engine knows it
    const ir::Function* function = nullptr; // that has the parameters
    bool is_launch =
        false; // what `module(...)` calls: `launch`, or the only kernel where the script has no such function
};
// All of a module: `launch` first, where there is one.
std::vector<Callable> callables_of(const ir::ModuleRef& module, int number, Span site);

// What it does to its parameters; nothing: the module cannot be lowered.
std::optional<std::vector<compiler::ParameterAccess>> accesses_of(const Callable& callable);

} // namespace hidet::session
