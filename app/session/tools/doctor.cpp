// SPDX-License-Identifier: Apache-2.0
#include "app/session/tools/doctor.h"

#include "app/session/tools/tools.h"
#include "lang/base/ranges.h"
#include "runtime/bench/cpu_peaks.h"
#include "runtime/process/confine.h"

namespace hidet::session {

static const char* serves(toolchain::Tool tool) {
    switch (tool) {
    case toolchain::Tool::Nvrtc: return "PTX and machine code for GPUs";
    case toolchain::Tool::Nvdisasm: return "SASS";
    case toolchain::Tool::Ptxas: return "machine code of PTX that was changed by hand";
    case toolchain::Tool::Driver: return "kernels on a GPU; without it they are emulated";
    case toolchain::Tool::Cublas: return "the baseline of 'bench --against cublas'";
    case toolchain::Tool::Nccl:
        return "tensors of several GPUs in hidet.distributed; without it they go through the host";
    case toolchain::Tool::NsightCompute: return "hardware counters of 'profile'";
    case toolchain::Tool::CxxCompiler: return "CPU kernels at machine speed; without it they are interpreted";
    case toolchain::Tool::Z3: return "proofs of kernels, for 'prove'";
    }
    return "";
}

static GpuFact examine_gpu(Tools& tools) {
    GpuFact fact;
    Result<std::shared_ptr<cuda::Stream>> stream = tools.gpu();
    if (!stream) {
        fact.name = stream.error().message;
        return fact;
    }
    const cuda::DeviceProperties& device = stream.value()->context().device();
    fact.usable = true;
    fact.name = device.name();
    fact.arch = artifact::architecture_name(device.spec.arch);
    fact.multiprocessors = device.spec.multiprocessors;
    fact.memory_bytes = device.spec.memory_bytes;
    return fact;
}

DoctorReport examine(Tools& tools) {
    DoctorReport report;
    for (toolchain::Finding& finding : tools.toolchain().facts()) {
        const bool is_found = finding.state == toolchain::State::Found;
        const char* const served = serves(finding.what);
        report.tools.push_back({std::move(finding), served, is_found});
    }
    report.gpu = examine_gpu(tools);
    const process::Protection protection = process::protection();
    report.sandbox = {protection.landlock > 0, process::text_of(protection)};
    return report;
}

static MachineView view_of(const artifact::TargetSpec& target) {
    return {target.id, target.name, artifact::describe(target)};
}

std::vector<MachineView> machines_here(Tools& tools) {
    package::ThreadPool pool;
    std::vector<MachineView> out{view_of(bench::measured_cpu(pool))};
    if (Result<std::shared_ptr<cuda::Stream>> stream = tools.gpu())
        out.push_back(view_of(stream.value()->context().device().spec));
    return out;
}

std::vector<MachineView> known_machines() {
    return transformed(artifact::machines(), [&](const artifact::TargetSpec& target) { return view_of(target); });
}

CacheReport cache_report(Tools& tools) {
    toolchain::CacheStatistics statistics = tools.toolchain().cache().statistics();
    return {statistics.folder, statistics.entries, statistics.bytes, statistics.limit, statistics.shared};
}

CacheCleared clear_cache(Tools& tools) {
    CacheCleared cleared;
    Result<toolchain::CacheStatistics> removed = tools.toolchain().cache().clear();
    if (removed) {
        cleared.entries = removed.value().entries;
        cleared.bytes = removed.value().bytes;
        return cleared;
    }
    cleared.status = Status::Environment;
    cleared.diagnostics.push_back(
        view_of(Diagnostic::make(DiagId::EnvironmentRefused, {}, removed.error().message), SourceMap{}));
    return cleared;
}

} // namespace hidet::session
