// SPDX-License-Identifier: Apache-2.0
#include "compiler/transform/pass.h"

#include "compiler/transform/passes.h"

namespace hidet::compiler {

const std::vector<PassInfo>& all_passes() {
    static const std::vector<PassInfo> passes = {
#define HIDET_PASS(name, function, text, in, out, summary)                                                             \
    {static_cast<PassId>(Pass::name), text, function, ir::Level::in, ir::Level::out, summary},
#include "compiler/transform/passes.def"
    };
    return passes;
}

const PassInfo* find_pass(std::string_view name) {
    for (const PassInfo& pass : all_passes())
        if (name == pass.name)
            return &pass;
    return nullptr;
}

} // namespace hidet::compiler
