// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "app/session/execute/stand_alone.h"
#include "app/session/package/plan_images.h"
#include "app/session/work/refusal.h"
#include "compiler/graph/plan/chunk.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

std::vector<ir::ModuleRef> image_modules(const graph::Plan& plan) {
    std::vector<ir::ModuleRef> modules;
    for (std::size_t i = 0; i < plan.programs.size(); i += programs_per_image)
        modules.push_back(merged(plan.programs, i, std::min(i + programs_per_image, plan.programs.size())));
    return modules;
}

std::vector<std::string> processor_level_names() {
    return transformed<std::string>(processor_levels, &ProcessorLevel::name);
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

namespace {

class CpuImageMaker {
public:
    CpuImageMaker(Work& work, const ImageRequest& request, ImageSource source, const std::string& stem,
                  const std::vector<std::string>& levels)
        : m_work(work), m_stem(stem), m_levels(levels), m_run(run_of(request)), m_modules(std::move(source.modules)),
          m_modules_each(source.modules_each), m_progress(request.progress), m_out{std::move(source.plan), {}} {}

    std::optional<PlanImages> run() {
        if (const std::unique_ptr<Executor> compiler = make_native(m_work, m_run); !compiler) {
            report_environment(m_work, m_work.sink,
                               {"compiler-missing", "compiled C++ is wanted, and there is no C++ compiler"});
            return std::nullopt;
        }
        for (std::size_t i = 0; i < m_levels.size(); ++i)
            if (!add(i))
                return std::nullopt;
        return std::move(m_out);
    }

private:
    static RunRequest run_of(const ImageRequest& request) {
        RunRequest run = request.run;
        run.target = Target::Cpu;
        return run;
    }
    bool add(std::size_t number) {
        const std::string& level = m_levels[number];
        const std::unique_ptr<Executor> native = make_native(m_work, m_run, {level, true});
        const std::size_t before = number * m_modules.size(), all = m_modules.size() * m_levels.size();
        const auto objects = native->build_all(m_modules, {}, m_work.sink, [&](std::size_t done) {
            if (m_progress)
                m_progress(before + done, all);
        });
        if (std::ranges::any_of(objects, [](const auto& object) { return object == nullptr; }))
            return false;
        const std::string member = cat(m_stem, ".", level, ".so");
        if (!objects.empty() && !add_file(member, level, objects))
            return false;
        for (artifact::Row module = 0; module < m_out.plan.modules.size(); ++module)
            m_out.plan.images.push_back({module, artifact::ImageKind::CpuObject, level, member, {}, {}});
        if (number == 0)
            for (artifact::PlanFunction& function : m_out.plan.functions)
                describe(function, object_of(*objects[function.module / m_modules_each])->entries);
        return true;
    }
    bool add_file(const std::string& member, const std::string& level, const std::vector<Ref<Executable>>& objects) {
        Result<std::string> linked =
            linked_objects(m_work, *m_run.tools,
                           transformed(objects, [&](const auto& object) { return object_of(*object)->bytes; }), level);
        if (!linked) {
            report_environment(m_work, m_work.sink, linked.error());
            return false;
        }
        m_out.files.push_back({member, std::move(linked).value()});
        return true;
    }

    Work& m_work;
    const std::string& m_stem;
    const std::vector<std::string>& m_levels; // of processors
    const RunRequest m_run;
    const std::vector<ir::ModuleRef> m_modules;
    const std::size_t m_modules_each; // of the plan
    const std::function<void(std::size_t done, std::size_t total)> m_progress;
    PlanImages m_out;
};

} // namespace

ImageSource source_for_cpu(const graph::Plan& plan) {
    return ImageSource{plan.launch, image_modules(plan), {}, programs_per_image};
}

std::optional<PlanImages> compile_for_cpu(Work& work, const ImageRequest& request, ImageSource source,
                                          const std::string& stem, const std::vector<std::string>& levels) {
    return CpuImageMaker(work, request, std::move(source), stem, levels).run();
}

} // namespace hidet::session
