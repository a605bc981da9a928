// SPDX-License-Identifier: Apache-2.0
// Kernels are lowered once, with the host code that launches them, for the machine that the plan is made for; what comes
// after that is done for each architecture. It needs NVRTC, and no GPU.
#include <algorithm>

#include "app/session/execute/parallel.h"
#include "app/session/package/plan_images.h"
#include "app/session/tools/tools.h"
#include "app/session/work/refusal.h"
#include "app/session/work/steps.h"
#include "compiler/graph/plan/launch_steps.h"
#include "lang/base/check.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

class GpuImageMaker {
public:
    GpuImageMaker(Work& work, const ImageRequest& request, ImageSource source, const std::vector<GpuForm>& forms,
                  const std::string& stem)
        : m_work(work), m_request(request), m_forms(forms), m_stem(stem), m_modules(std::move(source.modules)),
          m_lowered(std::move(source.lowered)), m_modules_each(source.modules_each),
          m_images(m_modules.size() * forms.size()), m_out{std::move(source.plan), {}} {}

    std::optional<PlanImages> run() {
        in_parallel(
            m_work, m_work.sink, m_images.size(), [&](std::size_t i, Work& work) { compile(work, i); },
            [&](std::size_t done) {
                if (m_request.progress)
                    m_request.progress(done, m_images.size());
            });
        for (std::size_t i = 0; i < m_images.size(); ++i)
            if (m_images[i].bytes.empty())
                return std::nullopt;
            else
                m_out.files.push_back({member(i), m_images[i].bytes});
        name_images();
        return std::move(m_out);
    }

private:
    struct Image {
        std::string bytes; // empty: the work says why
        std::vector<artifact::EntryPoint> entries;
        std::vector<toolchain::KernelFigures> figures;
    };
    std::size_t module_of(std::size_t image) const { return image / m_forms.size(); }
    const GpuForm& form_of(std::size_t image) const { return m_forms[image % m_forms.size()]; }
    std::string member(std::size_t image) const {
        return cat(m_stem, ".", module_of(image), ".", form_of(image).architecture, ".",
                   enum_name(form_of(image).kind));
    }

    void compile(Work& work, std::size_t image) {
        const GpuForm& form = form_of(image);
        const artifact::TargetSpec target = artifact::find_target(form.architecture).value();
        const ir::ModuleRef kernels = kernels_of(work, m_lowered[module_of(image)], target, work.sink);
        std::optional<artifact::Source> source = kernels ? cuda_of(work, kernels, target, work.sink) : std::nullopt;
        if (!source)
            return;
        work.enter("compiling for the GPU");
        toolchain::CompileRequest request;
        request.text = source->text;
        request.product = form.kind == artifact::ImageKind::Ptx ? toolchain::Product::Ptx : toolchain::Product::Cubin;
        request.arch = artifact::architecture_name(target.arch);
        request.options = gpu_options(true, *m_modules[module_of(image)]);
        request.cancelled = work.cancelled;
        Result<toolchain::CompileResult> compiled = compiled_by(work, *m_request.run.tools, request);
        if (!compiled)
            return report_compile_error(work, work.sink, *m_modules[module_of(image)], *source, compiled.error());
        toolchain::CompileResult result = std::move(compiled).value();
        m_images[image] = {std::move(result.bytes), std::move(source->entries), std::move(result.figures)};
    }

    void name_images() {
        for (artifact::PlanFunction& function : m_out.plan.functions) {
            const Image& image = m_images[function.module / m_modules_each * m_forms.size()];
            const bool is_there = describe(function, image.entries);
            HIDET_CHECK(is_there, function.name);
        }
        for (artifact::Row module = 0; module < m_out.plan.modules.size(); ++module)
            for (std::size_t i = 0; i < m_forms.size(); ++i) {
                const std::size_t image = module / m_modules_each * m_forms.size() + i;
                m_out.plan.images.push_back({module,
                                             m_forms[i].kind,
                                             m_forms[i].architecture,
                                             member(image),
                                             kernels_in(m_images[image], module),
                                             {}});
            }
    }
    std::vector<artifact::PlanKernel> kernels_in(const Image& image, artifact::Row module) const {
        std::vector<artifact::PlanKernel> out;
        for (artifact::Row row = 0; row < m_out.plan.functions.size(); ++row) {
            const artifact::PlanFunction& function = m_out.plan.functions[row];
            const auto figures = std::ranges::find(image.figures, function.symbol, &toolchain::KernelFigures::symbol);
            if (function.module == module && figures != image.figures.end())
                out.push_back({row, static_cast<std::uint32_t>(figures->registers),
                               static_cast<std::uint32_t>(figures->stack_bytes),
                               static_cast<std::uint32_t>(figures->static_shared_bytes)});
        }
        return out;
    }

    Work& m_work;
    const ImageRequest& m_request;
    const std::vector<GpuForm>& m_forms;
    const std::string& m_stem;
    const std::vector<ir::ModuleRef> m_modules, m_lowered;
    const std::size_t m_modules_each; // of the plan
    std::vector<Image> m_images;      // by module and form
    PlanImages m_out;
};

} // namespace

std::optional<ImageSource> source_for_gpus(Work& work, const graph::CompiledGraph& compiled) {
    ImageSource source{{}, image_modules(compiled.plan), {}, programs_per_image};
    source.lowered.resize(source.modules.size());
    const auto lower = [&](std::size_t i, Work& part) {
        part.enter("lowering a module for the GPU");
        source.lowered[i] =
            lowered(part, source.modules[i], compiler::LowerTo::Emulation, compiled.plan.target, part.sink);
    };
    in_parallel(work, work.sink, source.modules.size(), lower, {});
    if (std::ranges::any_of(source.lowered, [](const auto& module) { return module == nullptr; }))
        return std::nullopt;
    std::vector<ir::ModuleRef> by_program;
    for (std::size_t i = 0; i < compiled.plan.programs.size(); ++i)
        by_program.push_back(source.lowered[i / programs_per_image]);
    Result<artifact::LaunchPlan> plan = with_launches(compiled.graph, compiled.plan, by_program);
    if (!plan) {
        work.sink.report(DiagId::BadValue, {},
                         cat("a package for GPUs holds launches alone, and ", plan.error().message));
        return std::nullopt;
    }
    source.plan = std::move(plan).value();
    return source;
}

std::optional<PlanImages> compile_for_gpus(Work& work, const ImageRequest& request, ImageSource source,
                                           const std::vector<GpuForm>& forms, const std::string& stem) {
    return GpuImageMaker(work, request, std::move(source), forms, stem).run();
}

} // namespace hidet::session
