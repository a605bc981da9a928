// SPDX-License-Identifier: Apache-2.0
#include "app/session/plan/session_graphs.h"

#include <algorithm>

#include "app/session/execute/gpu_holder.h"
#include "compiler/graph/plan/signature.h"
#include "lang/base/text.h"
#include "runtime/bench/cpu_peaks.h"

namespace hidet::session {

using namespace graph;

namespace {

constexpr std::size_t max_runners = 4096;

bool is_on_gpu(const Tensors& inputs) {
    return std::ranges::any_of(inputs, [](const lang::TensorRef& tensor) { return tensor->device == Device::Cuda; });
}

// Empty: calls are alike only if they are the same one.
std::string key_of(const OpCall& call, const Tensors& inputs, const std::string& code) {
    std::string key = cat(is_on_gpu(inputs), " ", code, " ", call.op);
    for (const lang::TensorRef& tensor : inputs)
        key += " " + text_of(TensorSpec{tensor->dtype, shape_of(tensor->shape)});
    for (const auto& [name, value] : call.attributes.items()) {
        if (std::holds_alternative<lang::TensorRef>(value) ||
            std::holds_alternative<std::shared_ptr<const Graph>>(value))
            return "";
        const auto* task = std::get_if<std::shared_ptr<const Task>>(&value);
        key += " " + name + "=" + (task ? task_text(**task) : text_of(value));
    }
    return key;
}

std::shared_ptr<const CompiledGraph> compiled(const OpCall& call, const Tensors& inputs,
                                              const TemplateProvider* templates, const artifact::TargetSpec& target,
                                              const std::string& code) {
    auto out = std::make_shared<CompiledGraph>();
    std::vector<ValueId> values;
    for (const lang::TensorRef& tensor : inputs)
        values.push_back(out->graph.add_input(cat("x", values.size()), {tensor->dtype, shape_of(tensor->shape)}));
    out->graph.set_outputs(out->graph.add(*call.op, values, call.attributes));
    const NodeId node = out->graph.topological().front();
    out->partition.groups.push_back({node, {node}, {Role::Anchor}});
    PlanOptions options;
    options.target = target;
    options.code = code;
    if (target.is_cuda())
        options.templates = templates;
    out->plan = make_plan(out->graph, out->partition, options);
    return out;
}

} // namespace

const artifact::TargetSpec& SessionGraphs::gpu() const {
    const auto* holder = dynamic_cast<const GpuHolder*>(&m_engine);
    const artifact::TargetSpec* present = holder ? holder->gpu() : nullptr;
    return present ? *present : artifact::default_gpu();
}

const artifact::TargetSpec& SessionGraphs::cpu() const {
    static const artifact::TargetSpec here = bench::this_cpu();
    return here;
}

Partition SessionGraphs::tuned(const CompiledGraph& compiled, const artifact::TargetSpec& target,
                               const TemplateProvider& templates, int level, DiagnosticSink& sink) {
    return m_tuner ? m_tuner(m_engine, compiled, target, templates, level, sink) : compiled.partition;
}

std::unique_ptr<RunnableGraph> SessionGraphs::runnable(std::shared_ptr<const CompiledGraph> compiled) {
    return std::make_unique<GraphRunner>(std::move(compiled), m_engine);
}

std::shared_ptr<GraphRunner> SessionGraphs::runner_of(const OpCall& call, const Tensors& inputs,
                                                      const TemplateProvider* templates, Span site,
                                                      DiagnosticSink& sink) {
    const std::string key = key_of(call, inputs, code);
    if (const auto found = m_runners.find(key); found != m_runners.end())
        return found->second;
    GraphRunOptions options;
    options.site = site;
    const artifact::TargetSpec& target = is_on_gpu(inputs) ? gpu() : artifact::default_cpu();
    auto runner =
        std::make_shared<GraphRunner>(compiled(call, inputs, templates, target, code), m_engine, std::move(options));
    if (!runner->build(sink))
        return nullptr;
    if (!key.empty() && m_runners.size() < max_runners)
        m_runners.emplace(key, runner);
    return runner;
}

std::optional<Tensors> SessionGraphs::run_operator(const OpCall& call, const Tensors& inputs,
                                                   const TemplateProvider* templates, Span site, DiagnosticSink& sink) {
    const std::shared_ptr<GraphRunner> runner = runner_of(call, inputs, templates, site, sink);
    if (!runner)
        return std::nullopt;
    runner->plan_runner().set_site(site);
    return runner->run(inputs, sink);
}

GraphEngineMaker graph_engines(GraphTuner tuner, std::shared_ptr<GraphStore> store) {
    return [tuner = std::move(tuner), store = std::move(store)](lang::Engine& engine) {
        return std::make_unique<SessionGraphs>(engine, tuner, store);
    };
}

} // namespace hidet::session
