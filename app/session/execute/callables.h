// SPDX-License-Identifier: Apache-2.0
// The functions of a module that others can call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/parameter_accesses.h"
#include "compiler/ir/func.h"

namespace hidet::session {

// The type of the elements that a tensor for this parameter holds, or of the scalar; nothing: no number.
std::optional<ir::DType> dtype_of(const ir::Var& parameter);

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

// Those that stand for the module: what launches, and other public ones; kernels alone where nothing launches them.
bool stands_for_module(const Callable& callable, const std::vector<Callable>& all);
// Whether it is a kernel for a GPU, or launches one.
bool launches_gpu_code(const Callable& callable);

// How a kernel uses the tensor that a map describes, its parameter: whoever makes a map knows nothing of that.
compiler::ParameterAccess map_use(const ir::Function& kernel, const ir::Var& map);

} // namespace hidet::session
