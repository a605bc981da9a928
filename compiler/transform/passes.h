// SPDX-License-Identifier: Apache-2.0
// The pass functions and their ids, from passes.def.
#pragma once

#include "compiler/transform/pass.h"

namespace hidet::compiler {

enum class Pass : PassId {
    None,
#define HIDET_PASS(name, function, text, in, out, summary) name,
#include "compiler/transform/passes.def"
};

#define HIDET_PASS(name, function, text, in, out, summary)                                                             \
    ir::ModuleRef function(const ir::ModuleRef& module, PassContext& context);
#include "compiler/transform/passes.def"

} // namespace hidet::compiler
