// SPDX-License-Identifier: Apache-2.0
// Which functions and globals of a module are written, and what the host needs to know to call them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/artifact/source.h"
#include "compiler/ir/func.h"

namespace hidet::compiler::text {

struct Selection {
    std::vector<ir::FunctionRef> functions; // callees first
    std::vector<std::string> recursive;     // need a declaration before their definition
    std::vector<ir::VarRef> globals;        // that they use
};
// The functions `roots`, or those of a kind, and what they call.
Selection select_functions(const ir::Module& module, const std::vector<std::string>& roots);
Selection select_functions(const ir::Module& module, ir::FuncKind kind);

// Nothing: a parameter has a type that the host cannot pass.
std::optional<artifact::EntryPoint> entry_point(const ir::Function& function, const std::string& symbol);

} // namespace hidet::compiler::text
