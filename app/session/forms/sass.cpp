// SPDX-License-Identifier: Apache-2.0
#include "app/session/forms/listing.h"
#include "app/session/work/refusal.h"

namespace hidet::session {

bool make_sass(FormContext& context, FormSnapshot& out) {
    const toolchain::CompileResult* compiled = context.compile(toolchain::Product::Cubin);
    if (!compiled)
        return false;
    describe_compilation(*compiled, out);
    context.work.enter("disassembling");
    Work::Clock clock(context.work, info(Form::Sass).name);
    Result<toolchain::Listing> listing = context.request.tools->toolchain().disassemble(compiled->bytes);
    if (!listing) {
        report_environment(context.work, context.work.sink, listing.error());
        return false;
    }
    out.text = snapshot_of(context, listing.value());
    return true;
}

} // namespace hidet::session
