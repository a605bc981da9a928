// SPDX-License-Identifier: Apache-2.0
// What must hold of a module, at every level and at its own level. A violation after a pass is our bug.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/func.h"
#include "lang/base/diagnostic.h"

namespace hidet::ir {

struct Violation {
    std::string what; // a sentence, with the function's name
    Span span;        // of the node, where that is known
};
// Empty when the module is well formed.
std::vector<Violation> violations_of(const Module& module);
// Their sentences.
std::vector<std::string> verify(const Module& module);

// False: it is not well formed, which the sink has been told as mistakes of the text that the module was read from.
bool is_well_formed(const Module& module, DiagnosticSink& sink);

} // namespace hidet::ir
