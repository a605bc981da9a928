// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/export.h"

namespace hidet::session {

ExportTakes taken_by(ExportFormat format) {
    switch (format) {
    case ExportFormat::Cuda:
    case ExportFormat::Package:
    case ExportFormat::Triton: return {.architectures = true};
    case ExportFormat::Ptx:
    case ExportFormat::Cubin:
    case ExportFormat::Fatbin: return {.architectures = true, .contracts = true};
    case ExportFormat::C:
    case ExportFormat::Cpp:
    case ExportFormat::HfKernel: return {.function = true, .architectures = true, .contracts = true};
    case ExportFormat::TvmFfi:
    case ExportFormat::Torch: return {.function = true, .architectures = true, .levels = true, .contracts = true};
    case ExportFormat::CMake:
        return {.function = true, .architectures = true, .contracts = true, .seed = true, .runs_script = true};
    case ExportFormat::Cpu: return {.function = true, .levels = true, .seed = true, .runs_script = true};
    }
    return {};
}

} // namespace hidet::session
