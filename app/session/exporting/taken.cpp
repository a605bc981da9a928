// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/export.h"

namespace hidet::session {

ExportTakes taken_by(ExportFormat format) {
    ExportTakes takes;
    switch (format) {
    case ExportFormat::Cuda: takes.architectures = takes.several_architectures = true; return takes;
    case ExportFormat::Ptx:
    case ExportFormat::Cubin:
    case ExportFormat::Fatbin: takes.architectures = takes.several_architectures = takes.contracts = true; return takes;
    case ExportFormat::C:
    case ExportFormat::Cpp:
    case ExportFormat::TvmFfi:
    case ExportFormat::Torch:
    case ExportFormat::HfKernel:
        takes.function = takes.architectures = takes.several_architectures = takes.contracts = true;
        return takes;
    case ExportFormat::CMake:
        takes.function = takes.architectures = takes.several_architectures = takes.contracts = true;
        takes.seed = takes.runs_script = true;
        return takes;
    case ExportFormat::Package:
    case ExportFormat::Triton: takes.architectures = takes.several_architectures = true; return takes;
    case ExportFormat::Cpu: // its architectures are levels of x86-64: all that there are
        takes.function = takes.seed = takes.runs_script = true;
        return takes;
    }
    return takes;
}

} // namespace hidet::session
