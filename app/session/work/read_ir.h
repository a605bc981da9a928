// SPDX-License-Identifier: Apache-2.0
// The text of a module's IR, as a person wrote or changed it: what is wrong with it is said at its lines.
#pragma once

#include "app/session/request/source.h"
#include "app/session/work/work.h"
#include "compiler/ir/func.h"

namespace hidet::session {

// Where the first comment says that passes are behind the module, lower() goes on from there. Null: the sink knows why.
ir::ModuleRef read_ir(Work& work, const Source& source, DiagnosticSink& sink);

// The module without that, for who shows it: the comment of the text has it.
ir::ModuleRef as_written(const ir::ModuleRef& module);

} // namespace hidet::session
