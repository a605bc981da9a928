// SPDX-License-Identifier: Apache-2.0
// IR -> CUDA C++, readable: the script's names, its loops and conditions, a comment at the head of a loop that a task mapping
// made, one statement a line; the same module gives the same bytes. Every token of an expression or statement has the origin
// of the node it prints.
#pragma once

#include <optional>

#include "compiler/artifact/source.h"
#include "compiler/artifact/target_spec.h"
#include "compiler/ir/func.h"
#include "lang/base/diagnostic.h"

namespace hidet::compiler {

// The kernels of a module at level Kernel and the device functions they call. What the target's architecture lacks (or CUDA
// C++ has no syntax for) is reported to the sink at its place in the script, and nothing is returned. A module without a
// kernel gives an empty text with no entries.
std::optional<artifact::Source> generate_cuda(const ir::ModuleRef& module, const artifact::TargetSpec& target,
                                              DiagnosticSink& sink);

} // namespace hidet::compiler
