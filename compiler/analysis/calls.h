// SPDX-License-Identifier: Apache-2.0
// Who calls whom in a module.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/ir/func.h"

namespace hidet::compiler {

// Callees of each function in the order of their first call, launched kernels included; names outside of the module too.
using CallGraph = std::map<std::string, std::vector<std::string>>;
CallGraph call_graph(const ir::Module& module);

// The functions of the module so that callees come before their callers. A function on a cycle of calls is in `recursive`.
struct CallOrder {
    std::vector<ir::FunctionRef> functions;
    std::vector<std::string> recursive;
};
CallOrder callees_first(const ir::Module& module);

} // namespace hidet::compiler
