// SPDX-License-Identifier: Apache-2.0
#include "app/session/forms/listing.h"

namespace hidet::session {

bool make_cubin(FormContext& context, FormSnapshot& out) {
    const toolchain::CompileResult* compiled = context.compile(toolchain::Product::Cubin);
    if (!compiled)
        return false;
    describe_compilation(*compiled, out);
    out.bytes = compiled->bytes;
    return true;
}

} // namespace hidet::session
