// SPDX-License-Identifier: Apache-2.0
// hidet.graph.optimize, and its passes one by one.
#include <algorithm>

#include "compiler/graph/script/modules.h"
#include "compiler/graph/script/pass_context.h"
#include "compiler/graph/script/product_units.h"
#include "compiler/graph/script/rules.h"
#include "compiler/graph/script/values.h"
#include "lang/base/text.h"
#include "lang/host/arguments.h"
#include "lang/host/evaluator.h"

namespace hidet::graph {

namespace {

using lang::Args;
using lang::Arguments;
using lang::Evaluator;
using HostValue = lang::Value;

// Every pass, or one of them.
HostValue optimised(ScriptGraphs& graphs, Evaluator& evaluator, const Arguments& a, const char* pass) {
    const ScriptGraph* source = flow_graph_of(a[0]);
    if (!source)
        a.wrong_type(0, "a graph");
    auto result = std::make_shared<ScriptGraph>(*source);
    PassSettings settings = pass_settings(graphs, evaluator, a.span(0));
    GraphOptions& options = settings.options;
    graphs.rules->add_to(options);
    for (const GraphPassInfo& each : graph_passes())
        if (pass && std::string_view(each.name) != pass)
            options.off.emplace_back(each.name);
        else if (pass)
            options.on.emplace_back(each.name);
    for (ValueId input : result->graph.inputs)
        if (result->graph.value(input).device == Device::Cuda)
            options.target = gpu_of(graphs, evaluator, a.span(0));
    if (evaluator.engine() && !(options.target.is_cuda() && evaluator.engine()->has_cuda()))
        options.on.emplace_back("check-indices");
    try {
        Partition partition = optimise(evaluator, result->graph, settings, a.span(0)).partition;
        if (!partition.groups.empty())
            result->partition = std::move(partition);
        result->mma = options.mma;
        check_products(evaluator, result->graph, options, a.span(0));
    } catch (const OpError& error) {
        fail(DiagId::OperatorRefused, a.span(0), error.what());
    }
    return flow_graph_value(evaluator, std::move(result));
}

} // namespace

void add_graphs(ScriptGraphs& graphs, Evaluator&, lang::HostModule& module) {
    module.function("optimize", [&graphs](Evaluator& evaluator, Args& args, Span span) {
        const Arguments a(args, span, "optimize", {"graph"});
        return optimised(graphs, evaluator, a, nullptr);
    });
    module.function("PassContext", [&graphs](Evaluator& evaluator, Args& args, Span span) {
        Arguments(args, span, "PassContext", {});
        return make_pass_context(graphs, evaluator);
    });
}

// subgraph_rewrite_pass() and its like: what is called with a graph.
void add_passes(ScriptGraphs& graphs, Evaluator&, lang::HostModule& module) {
    for (const GraphPassInfo& pass : graph_passes()) {
        std::string name = cat(pass.name, "_pass");
        std::ranges::replace(name, '-', '_');
        module.function(name, [&graphs, &pass](Evaluator&, Args& args, Span span) {
            Arguments(args, span, pass.name, {});
            return HostValue::native(pass.name, [&graphs, &pass](Evaluator& evaluator, Args& given, Span at) {
                const Arguments a(given, at, pass.name, {"graph"});
                return optimised(graphs, evaluator, a, pass.name);
            });
        });
    }
}

} // namespace hidet::graph
