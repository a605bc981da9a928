// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "app/session/execute/stand_alone.h"
#include "app/session/package/plan_images.h"
#include "app/session/work/refusal.h"
#include "compiler/graph/plan/chunk.h"

namespace hidet::session {

std::string plan_processor() {
    for (const ProcessorLevel& level : processor_levels)
        if (vm::has_isa(level.isa))
            return level.name;
    return "x86-64";
}

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

namespace {

class CpuImageMaker {
public:
    CpuImageMaker(Work& work, const ImageRequest& request, const graph::Plan& plan, const std::string& stem,
                  const CpuForm& form)
        : m_work(work), m_stem(stem), m_form(form), m_run(run_of(request)), m_modules(image_modules(plan)),
          m_progress(request.progress), m_out{plan.launch, {}} {}

    std::optional<PlanImages> run() {
        if (const std::unique_ptr<Executor> compiler = make_native(m_work, m_run); !compiler) {
            report_environment(m_work, m_work.sink,
                               {"compiler-missing", "compiled C++ is wanted, and there is no C++ compiler"});
            return std::nullopt;
        }
        for (const std::string& level : m_form.levels)
            if (!add(level))
                return std::nullopt;
        return std::move(m_out);
    }

private:
    static RunRequest run_of(const ImageRequest& request) {
        RunRequest run = request.run;
        run.target = Target::Cpu;
        return run;
    }
    bool add(const std::string& level) {
        const std::unique_ptr<Executor> native = make_native(m_work, m_run, {level, true, m_form.stands_alone});
        const std::size_t before = m_levels * m_modules.size(), all = m_modules.size() * m_form.levels.size();
        const auto objects = native->build_all(m_modules, {}, m_work.sink, [&](std::size_t done) {
            if (m_progress)
                m_progress(before + done, all);
        });
        if (std::ranges::any_of(objects, [](const auto& object) { return object == nullptr; }))
            return false;
        const std::size_t first = m_out.files.size();
        if (!add_files(level, objects))
            return false;
        for (artifact::Row module = 0; module < m_out.plan.modules.size(); ++module) {
            const std::size_t file = first + (m_form.stands_alone ? 0 : module / programs_per_image);
            m_out.plan.images.push_back(
                {module, artifact::ImageKind::CpuObject, level, m_out.files[file].member, {}, m_hashes[file]});
        }
        if (m_levels++ == 0)
            for (artifact::PlanFunction& function : m_out.plan.functions)
                describe(function, object_of(*objects[function.module / programs_per_image])->entries);
        return true;
    }
    bool add_files(const std::string& level, const std::vector<Ref<Executable>>& objects) {
        if (!m_form.stands_alone) {
            for (std::size_t i = 0; i < objects.size(); ++i)
                add_file(cat(m_stem, ".", i, ".", level, ".so"), object_of(*objects[i])->bytes);
            return true;
        }
        std::vector<std::string> parts;
        for (const auto& object : objects)
            parts.push_back(object_of(*object)->bytes);
        if (parts.empty())
            return true;
        Result<std::string> linked = linked_objects(m_work, *m_run.tools, parts, level);
        if (!linked) {
            report_environment(m_work, m_work.sink, linked.error());
            return false;
        }
        add_file(cat(m_stem, ".", level, ".so"), std::move(linked).value());
        return true;
    }
    void add_file(std::string member, std::string bytes) {
        m_hashes.push_back(hash_of(bytes));
        m_out.files.push_back({std::move(member), std::move(bytes)});
    }

    Work& m_work;
    const std::string& m_stem;
    const CpuForm& m_form;
    const RunRequest m_run;
    const std::vector<ir::ModuleRef> m_modules;
    const std::function<void(std::size_t done, std::size_t total)> m_progress;
    PlanImages m_out;
    std::vector<std::string> m_hashes; // of the files
    std::size_t m_levels = 0;          // that are there
};

} // namespace

std::optional<PlanImages> compile_for_cpu(Work& work, const ImageRequest& request, const graph::Plan& plan,
                                          const std::string& stem, const CpuForm& form) {
    return CpuImageMaker(work, request, plan, stem, form).run();
}

} // namespace hidet::session
