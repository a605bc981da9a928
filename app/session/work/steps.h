// SPDX-License-Identifier: Apache-2.0
// The steps from a script's module to something that runs, each timed as a stage of the request.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/tools/tools.h"
#include "app/session/work/work.h"
#include "compiler/artifact/program.h"
#include "compiler/artifact/source.h"
#include "compiler/codegen/bytecode/generate.h"
#include "compiler/transform/pass.h"

namespace hidet::session {

ir::ModuleRef lowered(Work& work, const ir::ModuleRef& script, compiler::LowerTo to, const artifact::TargetSpec& target,
                      DiagnosticSink& sink);
// For the emulator, with marks in its kernels, whose sites the table gets.
ir::ModuleRef lowered_with_marks(Work& work, const ir::ModuleRef& script, const artifact::TargetSpec& target,
                                 artifact::MarkTable& marks, DiagnosticSink& sink);
ir::ModuleRef lowered_for_cpu(Work& work, const ir::ModuleRef& script, bool checks_bounds, DiagnosticSink& sink);
// At level Kernel, of a module that was lowered for the emulator, whose host code launches them.
ir::ModuleRef kernels_of(Work& work, const ir::ModuleRef& emulated, const artifact::TargetSpec& target,
                         DiagnosticSink& sink);
std::optional<artifact::Program> bytecode_of(Work& work, const ir::ModuleRef& module, DiagnosticSink& sink,
                                             const compiler::BytecodeOptions& options = {});
std::optional<artifact::Source> cuda_of(Work& work, const ir::ModuleRef& module, const artifact::TargetSpec& target,
                                        DiagnosticSink& sink);
// The options of NVRTC that a request and the module's script decide. C++ for the CPU and bytecode never contract a * b + c.
std::vector<std::string> gpu_options(bool contracts, const ir::Module& module);
// The GPU that the module's code is for, which its script may say. Nothing: there is no such one, which is reported.
std::optional<artifact::TargetSpec> gpu_of(const ir::Module& module, const artifact::TargetSpec& present, Span site,
                                           DiagnosticSink& sink);
Result<toolchain::CompileResult> compiled_by(Work& work, Tools& tools, const toolchain::CompileRequest& request);
KernelFacts facts_of(const toolchain::KernelFigures& figures, const std::string& name); // the name in the script

} // namespace hidet::session
