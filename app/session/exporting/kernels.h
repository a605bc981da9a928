// SPDX-License-Identifier: Apache-2.0
// The modules that a script builds, as exporters of kernels see them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/source.h"
#include "compiler/artifact/target_spec.h"
#include "compiler/ir/func.h"

namespace hidet::session {

class ExportWork;

// "samples/2-softmax.py" is "k2_softmax": what C, Python and file systems take as a name.
std::string export_name_of(const std::string& path);

// A module for one architecture.
struct ExportedCode {
    artifact::TargetSpec target;
    ir::ModuleRef emulated; // lowered for the emulator: its host code launches
    artifact::Source cuda;
};

struct ExportedModule {
    int number = 0;   // as a preview has it
    int of = 1;       // how many the script builds
    std::string name; // "few_rows_matmul", or "few_rows_matmul_2" where the script builds several
    Span site;
    ir::ModuleRef script;
    std::vector<ExportedCode> code; // by architecture that was asked for
};

// The CUDA C++ of it for nvcc too, which brings types of its own.
std::string cuda_text_of(const ExportedCode& code);

// The code of a module for all architectures that the request names; empty: the reason is in the work's sink.
std::vector<ExportedCode> exported_code(ExportWork& out, const ir::ModuleRef& script, Span site);

// Those that the request asks for and that hold kernels for a GPU. Empty: there is none, or one cannot be lowered, and the
// reason is in the work's sink.
std::vector<ExportedModule> exported_modules(ExportWork& out);

} // namespace hidet::session
