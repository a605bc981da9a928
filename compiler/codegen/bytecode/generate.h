// SPDX-License-Identifier: Apache-2.0
// IR -> bytecode. Takes a module at level Loop (multi-dimensional elements, layouts on the tensors, so that findings can
// show indices), Flat or Kernel.
#pragma once

#include <optional>

#include "compiler/artifact/program.h"
#include "compiler/artifact/variable_notes.h"
#include "compiler/ir/func.h"
#include "lang/base/diagnostic.h"

namespace hidet::compiler {

struct BytecodeOptions {
    bool keeps_locals = false; // local arrays of kernels have registers of their own to the end, for who looks at them
    // By function, where its variables are; null: nobody looks. What was moved away from its statement has no origin then.
    std::vector<artifact::VariableNotes>* notes = nullptr;
};

// Nothing when the module uses what the machine cannot run (assembly on numbers, extern functions), which is in the sink.
std::optional<artifact::Program> generate_bytecode(const ir::ModuleRef& module, DiagnosticSink& sink,
                                                   const BytecodeOptions& options = {});

} // namespace hidet::compiler
