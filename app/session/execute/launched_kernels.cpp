// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/launched_kernels.h"

namespace hidet::session {

static void add_kernels(const artifact::Program& program, int index, std::set<int>& seen,
                        std::set<std::string>& kernels) {
    if (index < 0 || !seen.insert(index).second)
        return;
    const artifact::Function& function = program.functions[static_cast<std::size_t>(index)];
    if (function.kind == artifact::FunctionKind::Kernel)
        kernels.insert(function.name);
    for (const artifact::Launch& launch : function.launches)
        add_kernels(program, launch.function, seen, kernels);
}

std::set<std::string> launched_kernels(const artifact::Program& program, const std::string& function) {
    std::set<int> seen;
    std::set<std::string> kernels;
    add_kernels(program, artifact::function_index(program, function), seen, kernels);
    return kernels;
}

} // namespace hidet::session
