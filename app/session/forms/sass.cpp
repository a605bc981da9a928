// SPDX-License-Identifier: Apache-2.0
#include "app/session/forms/listing.h"
#include "app/session/machine/machine.h"
#include "app/session/work/refusal.h"

namespace hidet::session {

static Result<toolchain::LiveDisassembly> read_code(Tools& tools, const SassRequest& request) {
    if (request.explains)
        return tools.toolchain().disassemble_live(request.cubin, request.cancelled);
    HIDET_TRY(toolchain::Disassembly code, tools.toolchain().disassemble(request.cubin, request.cancelled));
    return toolchain::LiveDisassembly{std::move(code), {}};
}

Result<void> fill_sass(Tools& tools, const SassRequest& request, FormSnapshot& out) {
    HIDET_TRY(const toolchain::LiveDisassembly code, read_code(tools, request));
    out.text = request.text(code.code.listing);
    out.text.controls = controls_of(code.code);
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
