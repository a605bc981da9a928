// SPDX-License-Identifier: Apache-2.0
// Reads the textual form of print.h back.
#pragma once

#include "compiler/ir/func.h"
#include "lang/base/diagnostic.h"

namespace hidet::ir {

// Null after an error, which is in the sink. Origins of the result are the places in this text.
ModuleRef parse_module(const SourceMap& sources, FileId file, DiagnosticSink& sink);

} // namespace hidet::ir
