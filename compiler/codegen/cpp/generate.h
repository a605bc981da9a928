// SPDX-License-Identifier: Apache-2.0
// IR -> C++ for the CPU, as readable as CUDA C++ (codegen/cuda/generate.h).
#pragma once

#include <optional>

#include "compiler/artifact/source.h"
#include "compiler/ir/func.h"
#include "lang/base/diagnostic.h"

namespace hidet::compiler {

// The functions of a module at level Kernel that run on the host: cpu_kernel, cpu_internal and public ones that launch no GPU
// kernel. An entry point is `extern "C" void SYMBOL(const hidet_host* host, void* const* args, void* result)`: args[i] points
// at the i-th value. What C++ has no syntax for is reported to the sink, and nothing is returned.
std::optional<artifact::Source> generate_cpp(const ir::ModuleRef& module, DiagnosticSink& sink);

} // namespace hidet::compiler
