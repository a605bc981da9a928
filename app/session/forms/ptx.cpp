// SPDX-License-Identifier: Apache-2.0
#include "app/session/forms/listing.h"

namespace hidet::session {

bool make_ptx(FormContext& context, FormSnapshot& out) {
    const toolchain::CompileResult* compiled = context.compile(toolchain::Product::Ptx);
    if (!compiled)
        return false;
    describe_compilation(*compiled, out);
    out.text = snapshot_of(context, toolchain::ptx_listing(compiled->bytes));
    return true;
}

} // namespace hidet::session
