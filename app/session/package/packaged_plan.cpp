// SPDX-License-Identifier: Apache-2.0
#include "app/session/package/packaged_plan.h"

#include <algorithm>

#include "app/session/plan/index_checks.h"
#include "app/session/tools/tools.h"
#include "compiler/graph/ops/host/run_on_host.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

bool exchanges(const artifact::PlanStep& step) {
    const graph::OpInfo* op =
        step.kind == artifact::StepKind::Host ? graph::find_op(artifact::enum_name(step.op)) : nullptr;
    return op && op->exchanges;
}

// What runs packages has the operators of the host, and of those of ONNX whose parameters are data the most common ones.
bool is_packed(Work& work, const artifact::PlanStep& step, const PackagedEntry& entry) {
    if (exchanges(step) && !entry.is_shared) {
        work.sink.report(DiagId::BadValue, {},
                         cat("'", join(step.operators, "', '"),
                             "' cannot be in a package: ", artifact::enum_name(step.op),
                             " exchanges tensors with other processes, and a package runs "
                             "in one"));
        return false;
    }
    const auto op = std::ranges::find(step.attributes, "op", &artifact::PlanAttribute::name);
    if (step.kind != artifact::StepKind::Host || step.op != artifact::HostOperator::OnnxNode ||
        op == step.attributes.end() || graph::runs_on_host(op->texts.front()))
        return true;
    work.sink.report(DiagId::BadValue, {},
                     cat("'", join(step.operators, "', '"), "' cannot be in a package: the parameters of ",
                         op->texts.front(), " are data, and what runs packages has no such operator"));
    return false;
}

// Whoever calls a package has its inputs to read from.
bool leaves_inputs(Work& work, const graph::Graph& graph) {
    if (!graph.in_place.empty())
        work.sink.report(DiagId::BadValue, {},
                         cat("results of '", graph.name,
                             "' take the place of inputs, and a package leaves these as they are: trace "
                             "the graph without in_place to save it"));
    return graph.in_place.empty();
}

bool is_packed(Work& work, const artifact::LaunchPlan& plan, const PackagedEntry& entry) {
    const auto look = [&](const artifact::PlanBody& body) {
        return std::ranges::all_of(body.steps,
                                   [&](const artifact::PlanStep& step) { return is_packed(work, step, entry); });
    };
    return look(plan) && std::ranges::all_of(plan.bodies, look);
}

// Whoever runs a package goes by names, which the tensors of a script need not have.
void name_tensors(const graph::Graph& graph, artifact::LaunchPlan& plan) {
    const auto name = [&](const std::vector<graph::ValueId>& ids, const std::vector<artifact::Row>& rows,
                          const char* what) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (graph.value(ids[i]).name.empty())
                plan.values[rows[i]].name = cat(what, i);
    };
    name(graph.inputs, plan.inputs, "input_");
    name(graph.outputs(), plan.outputs, "output_");
}

} // namespace

std::optional<PackagedPlan> packaged_plan(Work& work, const ImageRequest& request, const graph::CompiledGraph& compiled,
                                          const PackagedEntry& entry) {
    if (!leaves_inputs(work, compiled.graph) || !is_packed(work, compiled.plan.launch, entry))
        return std::nullopt;
    work.enter("compiling the model");
    Work::Clock clock(work, "build");
    const artifact::TargetSpec& target = compiled.plan.target;
    const std::string architecture = target.is_cuda() ? artifact::architecture_name(target.arch) : "x86-64";
    const std::string stem = cat(entry.name, ".", target.is_cuda() ? "cuda" : "cpu");
    std::optional<PlanImages> images;
    if (!target.is_cuda())
        images = compile_for_cpu(work, request, source_for_cpu(compiled.plan), stem, processor_level_names());
    else if (std::optional<ImageSource> source = source_for_gpus(work, compiled))
        images = compile_for_gpus(work, request, std::move(*source),
                                  {{architecture}, {architecture, artifact::ImageKind::Ptx}}, stem);
    if (!images)
        return std::nullopt;
    name_tensors(compiled.graph, images->plan);
    if (entry.looks_at_inputs)
        add_input_checks(compiled.graph, images->plan);
    return PackagedPlan{entry.name, architecture, std::move(*images), compiled.plan.weights};
}

void add_compilers(Tools& tools, bool has_gpu_code, bool has_cpu_code, PackageContents& contents) {
    for (const toolchain::Tool tool : {toolchain::Tool::Nvrtc, toolchain::Tool::CxxCompiler})
        if (const toolchain::Finding found = tools.toolchain().locate(tool);
            (tool == toolchain::Tool::Nvrtc ? has_gpu_code : has_cpu_code) && !found.version.empty())
            contents.facts.emplace_back("compiler", cat(found.name, " ", found.version));
}

} // namespace hidet::session
