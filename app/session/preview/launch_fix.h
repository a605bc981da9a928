// SPDX-License-Identifier: Apache-2.0
// The launch function that a script module of several kernels lacks, as a fix of its diagnostic: a function behind the last
// kernel that takes what the kernels take and launches them in their order.
#pragma once

#include "compiler/ir/func.h"
#include "lang/base/diagnostic.h"

namespace hidet {
class SourceMap;
}

namespace hidet::session {

// Adds nothing where the script does not write its kernels as a person would.
void offer_launch(Diagnostic& missing, const ir::Module& module, const SourceMap& sources);

} // namespace hidet::session
