// SPDX-License-Identifier: Apache-2.0
// The parameters of a function as a caller sees them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/execute/callables.h"
#include "app/session/kernel_bench/kernel_bench.h"
#include "compiler/analysis/parameter_accesses.h"
#include "compiler/ir/func.h"
#include "lang/host/engine.h"

namespace hidet::session {

ParameterKind kind_of(const ir::Var& parameter);
ParameterView view_of(const ir::Var& parameter, const compiler::ParameterAccess& access);
std::string type_text(const ParameterView& parameter); // "f32[m, 80]", "a pointer to f32", "i32"

// "f32[64, 80], 64": all arguments.
std::string arguments_text(const std::vector<lang::CallArgument>& args);

} // namespace hidet::session
