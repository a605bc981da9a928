// SPDX-License-Identifier: Apache-2.0
// Which of its arguments a function touches.
#pragma once

#include <vector>

#include "compiler/ir/func.h"

namespace hidet::compiler {

// For each parameter whether memory behind it is read and written, by the function and by what it calls or launches; a
// pointer that escapes (into raw code, into memory, to the caller) counts as both.
struct ParameterAccess {
    bool read = false;
    bool written = false;
};
std::vector<ParameterAccess> parameter_accesses(const ir::Function& function, const ir::Module& module);

} // namespace hidet::compiler
