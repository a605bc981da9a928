// SPDX-License-Identifier: Apache-2.0
#include "app/session/forms/maker.h"
#include "compiler/codegen/bytecode/generate.h"
#include "compiler/transform/pass.h"

namespace hidet::session {

static ir::ModuleRef emulated(FormContext& context) {
    if (context.emulated)
        return context.emulated;
    Work& work = context.work;
    compiler::LowerOptions options;
    options.to = compiler::LowerTo::Emulation;
    options.target = context.target;
    options.cancelled = work.cancelled;
    work.enter("lowering for the emulator");
    return compiler::lower(context.script, options, work.sink);
}

// The emulator takes the module before its tensors lose their shapes.
bool make_bytecode(FormContext& context, FormSnapshot& out) {
    Work& work = context.work;
    ir::ModuleRef module = emulated(context);
    if (!module)
        return false;
    work.enter("generating bytecode");
    std::optional<artifact::Program> program = compiler::generate_bytecode(module, work.sink);
    if (!program)
        return false;
    const std::string& name = context.request.function;
    const artifact::Function* function = artifact::find_function(*program, name);
    artifact::Disassembly listing;
    if (name.empty())
        listing = artifact::disassemble(*program);
    else if (function) // inlined functions have no code of their own
        listing = artifact::disassemble(*program, *function);
    out.text = snapshot_of(work, std::move(listing.text), listing.line_origins);
    return true;
}

} // namespace hidet::session
