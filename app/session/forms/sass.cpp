// SPDX-License-Identifier: Apache-2.0
#include "app/session/forms/listing.h"
#include "app/session/machine/machine.h"
#include "app/session/work/refusal.h"

namespace hidet::session {

static Result<toolchain::LiveDisassembly> read_code(FormContext& context, const std::string& cubin) {
    toolchain::Toolchain& tools = context.request.tools->toolchain();
    if (context.request.explains)
        return tools.disassemble_live(cubin, context.work.cancelled);
    HIDET_TRY(toolchain::Disassembly code, tools.disassemble(cubin, context.work.cancelled));
    return toolchain::LiveDisassembly{std::move(code), {}};
}

bool make_sass(FormContext& context, FormSnapshot& out) {
    const toolchain::CompileResult* compiled = context.compile(toolchain::Product::Cubin);
    if (!compiled)
        return false;
    describe_compilation(*compiled, out);
    context.work.enter("disassembling");
    Work::Clock clock(context.work, info(Form::Sass).name);
    Result<toolchain::LiveDisassembly> read = read_code(context, compiled->bytes);
    if (!read) {
        report_environment(context.work, context.work.sink, read.error());
        return false;
    }
    const toolchain::LiveDisassembly& code = read.value();
    out.text = snapshot_of(context, code.code.listing);
    out.text.controls = controls_of(code.code);
    if (context.request.explains)
        out.machine = std::make_shared<const MachineSnapshot>(machine_of(code, out.text, context.target.arch.number));
    return true;
}

} // namespace hidet::session
