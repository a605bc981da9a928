// SPDX-License-Identifier: Apache-2.0
#include "app/session/forms/maker.h"
#include "compiler/codegen/cpp/generate.h"

namespace hidet::session {

bool make_cpp(FormContext& context, FormSnapshot& out) {
    context.work.enter("generating C++");
    std::optional<artifact::Source> source = compiler::generate_cpp(context.lowered, context.work.sink);
    if (!source)
        return false;
    out.text = snapshot_of(context.work, *source);
    return true;
}

} // namespace hidet::session
