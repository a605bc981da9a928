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

struct AskedModule {
    int number = 0;   // as a preview has it
    int of = 1;       // how many the script builds
    std::string name; // "few_rows_matmul", or "few_rows_matmul_2" where the script builds several
    Span site;
    ir::ModuleRef script;
};

struct ExportedModule : AskedModule {
    std::vector<ExportedCode> code; // by architecture that was asked for
};

// What --arch names: GPUs, and where code for the CPU is exported, levels of x86-64, which are the others.
std::vector<std::string> named_architectures(const ExportWork& out, bool is_for_cpu);

// The CUDA C++ of it for nvcc too, which brings types of its own.
std::string cuda_text_of(const ExportedCode& code);

// The code of a module for all architectures that the request names; empty: the reason is in the work's sink.
std::vector<ExportedCode> exported_code(ExportWork& out, const ir::ModuleRef& script, Span site);

// Those that the request asks for: all, or those that hold kernels for a GPU. Empty: there is none, and the reason is in the
// work's sink.
std::vector<AskedModule> asked_modules(ExportWork& out, bool without_kernels_too);
// Those that hold kernels for a GPU, with their code. Empty: there is none, or one cannot be lowered, and the reason is in the
// work's sink.
std::vector<ExportedModule> exported_modules(ExportWork& out);

} // namespace hidet::session
