// SPDX-License-Identifier: Apache-2.0
#include "app/session/forms/maker.h"
#include "compiler/codegen/bytecode/generate.h"
#include "compiler/transform/pass.h"

namespace hidet::session {

// The emulator takes the module before its tensors lose their shapes, so it is lowered to there on its own.
bool make_bytecode(FormContext& context, FormSnapshot& out) {
    Work& work = context.work;
    compiler::LowerOptions options;
    options.to = compiler::LowerTo::Emulation;
    options.target = context.target;
    options.cancelled = work.cancelled;
    work.enter("lowering for the emulator");
    ir::ModuleRef module = compiler::lower(context.script, options, work.sink);
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
