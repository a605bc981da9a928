// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/export.h"

namespace hidet::session {

ExportTakes taken_by(ExportFormat format) {
    ExportTakes takes;
    switch (format) {
    case ExportFormat::Cuda: takes.architectures = true; return takes;
    case ExportFormat::Ptx:
    case ExportFormat::Cubin:
    case ExportFormat::Fatbin: takes.architectures = takes.contracts = true; return takes;
    case ExportFormat::C:
    case ExportFormat::Cpp:
    case ExportFormat::HfKernel: takes.function = takes.architectures = takes.contracts = true; return takes;
    case ExportFormat::TvmFfi:
    case ExportFormat::Torch:
        takes.function = takes.architectures = takes.contracts = takes.levels = true;
        return takes;
    case ExportFormat::CMake:
        takes.function = takes.architectures = takes.contracts = true;
        takes.seed = takes.runs_script = true;
        return takes;
    case ExportFormat::Package:
    case ExportFormat::Triton: takes.architectures = true; return takes;
    case ExportFormat::Cpu: takes.function = takes.seed = takes.runs_script = takes.levels = true; return takes;
    }
    return takes;
}

} // namespace hidet::session
