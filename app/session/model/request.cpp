// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/request.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "compiler/graph/passes/pass.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

RunRequest run_request_of(const ModelRequest& request) {
    RunRequest run;
    run.target = request.target;
    run.seed = request.seed;
    run.tools = request.tools;
    run.kernel_seconds = request.kernel_seconds;
    run.cancelled = request.cancelled;
    run.fault = request.fault;
    run.print = request.print;
    run.calling = request.calling;
    run.checks_bounds = false; // its code is made from definitions; what depends on data is looked at before a run
    return run;
}

bool is_script(const ModelRequest& request) {
    return request.path.ends_with(".py") ||
           std::ranges::any_of(request.texts, [&](const auto& held) { return held.first == request.path; });
}

bool read_script(const ModelRequest& request, const std::string& path, Source& source, DiagnosticSink& sink) {
    for (const auto& [held, text] : request.texts)
        if (held == path) {
            const std::string folder = std::filesystem::path(path).parent_path().string();
            source = {path, text, folder.empty() ? "." : folder, false};
            return true;
        }
    return read_source(path, source, sink);
}

std::string tensors_text(const std::vector<ModelTensor>& tensors) {
    return join(
        transformed(tensors, [](const ModelTensor& each) { return cat(each.name, ": ", each.dtype, each.shape); }),
        ", ");
}

std::string progress_text(const ModelProgress& progress) {
    return progress.total > 0 ? cat(progress.what, ", ", progress.done, " of ", progress.total) : progress.what;
}

ModelFacts facts_of(const artifact::LaunchPlan& plan) {
    const auto tensors = [&](const std::vector<artifact::Row>& values) {
        std::vector<ModelTensor> out;
        for (const artifact::Row row : values)
            out.push_back({plan.values[row].name, plan.values[row].dtype, extents_text(plan, plan.values[row].shape)});
        return out;
    };
    ModelFacts facts;
    facts.name = plan.name;
    facts.target = plan.target;
    facts.inputs = tensors(plan.inputs);
    facts.outputs = tensors(plan.outputs);
    facts.symbols = symbol_names(plan);
    facts.steps = plan.steps.size();
    facts.programs = plan.modules.size();
    std::set<std::pair<artifact::Row, std::string>> kernels;
    const auto add_kernels = [&](const artifact::PlanBody& body) {
        for (const artifact::PlanStep& step : body.steps)
            for (const std::string& kernel : step.kernels)
                if (!is_on_host(step.kind))
                    kernels.emplace(step.function, kernel);
    };
    add_kernels(plan);
    std::ranges::for_each(plan.bodies, add_kernels);
    for (const artifact::PlanStep& step : plan.steps) {
        facts.host_steps += is_on_host(step.kind);
        facts.launches += is_on_host(step.kind) ? 0 : step.kernels.size();
    }
    facts.kernels = kernels.size();
    for (const artifact::PlanWeight& weight : plan.weights)
        facts.weight_bytes += static_cast<double>(weight.bytes);
    if (const artifact::ArenaSizes sizes = arena_sizes(plan); sizes.bound) {
        facts.arena_bytes = sizes.bytes;
        facts.arena_bound = sizes.bound;
    }
    return facts;
}

bool guarded_by_model(Work& work, const std::function<bool()>& body) {
    try {
        return body();
    } catch (const graph::OpError& error) {
        work.sink.report(DiagId::BadShape, {}, error.what());
        return false;
    } catch (const graph::RuleFailed&) { // reported
        return false;
    }
}

} // namespace hidet::session
