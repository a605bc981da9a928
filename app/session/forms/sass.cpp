// SPDX-License-Identifier: Apache-2.0
#include "app/session/forms/listing.h"
#include "app/session/machine/machine.h"
#include "app/session/work/refusal.h"

namespace hidet::session {

Result<void> fill_sass(Tools& tools, const SassRequest& request, FormSnapshot& out) {
    HIDET_TRY(const toolchain::Disassembly code, tools.toolchain().disassemble(request.cubin, request.cancelled));
    out.text = request.text(code.listing);
    out.text.controls = controls_of(code);
    if (request.explains)
        out.machine = std::make_shared<const MachineSnapshot>(machine_of(code, out.text, request.capability));
    return {};
}

bool make_sass(FormContext& context, FormSnapshot& out) {
    const toolchain::CompileResult* compiled = context.compile(toolchain::Product::Cubin);
    if (!compiled)
        return false;
    describe_compilation(*compiled, out);
    context.work.enter("disassembling");
    Work::Clock clock(context.work, info(Form::Sass).name);
    const Result<void> read =
        fill_sass(*context.request.tools,
                  {compiled->bytes, context.request.explains, context.target.arch.number, context.work.cancelled,
                   [&](const toolchain::Listing& listing) { return snapshot_of(context, listing); }},
                  out);
    if (!read)
        report_environment(context.work, context.work.sink, read.error());
    return read.ok();
}

} // namespace hidet::session
