// SPDX-License-Identifier: Apache-2.0
#include "app/session/forms/maker.h"
#include "app/session/work/read_ir.h"
#include "compiler/ir/text/print.h"

namespace hidet::session {

bool make_ir(FormContext& context, FormSnapshot& out) {
    context.work.enter("printing the IR");
    const ir::ModuleRef module = context.lowered ? context.lowered : as_written(context.script);
    const std::string& name = context.request.function;
    const ir::Function* function = name.empty() ? nullptr : ir::find_function(*module, name);
    ir::PrintedText printed = function       ? ir::print_function(*function)
                              : name.empty() ? ir::print_module(*module)
                                             : ir::PrintedText{}; // a pass has inlined or dropped it
    out.text = snapshot_of(context.work, std::move(printed));
    return true;
}

} // namespace hidet::session
