// SPDX-License-Identifier: Apache-2.0
// A code generator that no product has: kernels as C++ that runs their threads one after the other. It shows what a backend
// consists of (a dialect, an emitter, this function), and what it makes is run beside the virtual machine.
#pragma once

#include <optional>

#include "compiler/artifact/source.h"
#include "compiler/ir/func.h"
#include "lang/base/diagnostic.h"

namespace hidet::test {

// The kernels of a module at level Kernel. An entry point is `extern "C" void SYMBOL(const unsigned* launch, void* const* args)`:
// launch holds the extents of the grid and of a block, x first; args[i] points at the i-th value. What needs threads that run at
// the same time (barriers, shared memory, warps) is reported to the sink at its place, and nothing is returned.
std::optional<artifact::Source> generate_serial(const ir::ModuleRef& module, DiagnosticSink& sink);

} // namespace hidet::test
