// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/requirements.h"

#include <algorithm>
#include <optional>

#include "lang/base/text.h"

namespace hidet::session {

namespace {

struct MachineNeeds {
    std::optional<Target> target; // nothing: it runs nothing
    bool compiles = true;
    bool counts = false; // what a GPU does
};

// One overload for each row of jobs.def that runs something.
MachineNeeds needs_of_job(const RunRequest& job) {
    return {job.target};
}
MachineNeeds needs_of_job(const BenchRequest& job) {
    return needs_of_job(job.run);
}
MachineNeeds needs_of_job(const KernelBenchRequest& job) {
    return needs_of_job(job.run);
}
MachineNeeds needs_of_job(const ModelRequest& job) {
    return {job.target, !job.path.ends_with(".hidet")}; // a package was compiled
}
MachineNeeds needs_of_job(const ModelRunRequest& job) {
    return needs_of_job(static_cast<const ModelRequest&>(job));
}
MachineNeeds needs_of_job(const ModelBenchRequest& job) {
    return needs_of_job(job.run);
}
MachineNeeds needs_of_job(const ModelTuneRequest& job) {
    return needs_of_job(job.model);
}
MachineNeeds needs_of_job(const CountRequest&) {
    return {.target = Target::Cuda, .counts = true};
}
template <class Request>
MachineNeeds needs_of_job(const Request&) {
    return {};
}

const ToolFact* missing_tool(const DoctorReport& machine, std::string_view name) {
    const auto found =
        std::ranges::find(machine.tools, name, [](const ToolFact& tool) { return std::string_view(tool.name); });
    return found == machine.tools.end() || found->usable ? nullptr : &*found;
}

} // namespace

std::string missing_for(const JobRequest& request, const DoctorReport& machine) {
    const MachineNeeds needs = std::visit([](const auto& job) { return needs_of_job(job); }, request);
    if (!needs.target)
        return "";
    const GpuUse use = info(*needs.target).gpu;
    if (use == GpuUse::Needed && !machine.gpu.usable)
        return cat("has no GPU that can be used: ", machine.gpu.name);
    if (use == GpuUse::None || !machine.gpu.usable || !needs.compiles)
        return "";
    if (const ToolFact* nvrtc = missing_tool(machine, "NVRTC"))
        return cat("has a GPU, but no NVRTC, which compiles for it: ", nvrtc->problem, "; ", nvrtc->advice);
    if (const ToolFact* ncu = needs.counts ? missing_tool(machine, "Nsight Compute") : nullptr)
        return cat("has no Nsight Compute, which counts what a GPU does: ", ncu->problem, "; ", ncu->advice);
    return "";
}

} // namespace hidet::session
