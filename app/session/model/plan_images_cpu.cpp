// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "app/session/model/plan_images.h"
#include "app/session/model/request.h"
#include "app/session/model/stages.h"
#include "app/session/work/refusal.h"
#include "compiler/graph/plan/chunk.h"

namespace hidet::session {

namespace {

// The best level of x86-64 that this machine runs.
std::string plan_processor() {
    for (const ProcessorLevel& level : processor_levels)
        if (vm::has_isa(level.isa))
            return level.name;
    return "x86-64";
}

} // namespace

std::vector<ir::ModuleRef> image_modules(const graph::Plan& plan) {
    std::vector<ir::ModuleRef> modules;
    for (std::size_t i = 0; i < plan.programs.size(); i += programs_per_image)
        modules.push_back(merged(plan.programs, i, std::min(i + programs_per_image, plan.programs.size())));
    return modules;
}

bool describe(artifact::PlanFunction& function, const std::vector<artifact::EntryPoint>& entries) {
    const auto entry = std::ranges::find(entries, function.name, &artifact::EntryPoint::name);
    if (entry == entries.end())
        return false;
    function.symbol = entry->symbol;
    for (const artifact::Parameter& parameter : entry->params)
        function.parameters.push_back({parameter.name, parameter.type, parameter.is_pointer, parameter.is_tensor_map});
    return true;
}

std::optional<PlanImages> compile_for_cpu(Work& work, const ModelRequest& request, const graph::Plan& plan,
                                          const std::string& stem) {
    RunRequest run = run_request_of(request);
    run.target = Target::Cpu;
    if (const std::unique_ptr<Executor> compiler = make_native(work, run); !compiler) {
        report_environment(work, work.sink,
                           {"compiler-missing", "a plan file holds compiled C++, and there is no C++ compiler"});
        return std::nullopt;
    }
    const std::unique_ptr<Executor> native = make_native(work, run, {plan_processor(), true});
    const std::vector<ir::ModuleRef> modules = image_modules(plan);
    const StepProgress progress(request, "compiling");
    const auto objects =
        native->build_all(modules, {}, work.sink, [&](std::size_t done) { progress.done(done, modules.size()); });
    if (std::ranges::any_of(objects, [](const auto& object) { return object == nullptr; }))
        return std::nullopt;
    PlanImages out{plan.launch, {}};
    std::vector<std::string> hashes;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        out.files.push_back({cat(stem, ".", i, ".so"), object_of(*objects[i])->bytes});
        hashes.push_back(hash_of(out.files.back().bytes));
    }
    for (artifact::Row module = 0; module < out.plan.modules.size(); ++module)
        out.plan.images.push_back({module,
                                   artifact::ImageKind::CpuObject,
                                   plan_processor(),
                                   out.files[module / programs_per_image].member,
                                   {},
                                   hashes[module / programs_per_image]});
    for (artifact::PlanFunction& function : out.plan.functions)
        describe(function, object_of(*objects[function.module / programs_per_image])->entries);
    return out;
}

} // namespace hidet::session
