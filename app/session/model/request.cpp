// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/request.h"

#include <set>

#include "compiler/graph/passes/pass.h"

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
    return run;
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
    for (const artifact::PlanStep& step : plan.steps) {
        facts.host_steps += step.kind == artifact::StepKind::Host;
        for (const std::string& kernel : step.kernels)
            if (step.kind != artifact::StepKind::Host)
                kernels.emplace(step.function, kernel);
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
