// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/cpu_part.h"

#include <algorithm>
#include <set>

#include "app/session/work/steps.h"
#include "compiler/analysis/calls.h"
#include "compiler/ir/structure.h"

namespace hidet::session {

namespace {

void add_reached(const compiler::CallGraph& graph, const std::string& from, std::set<std::string>& reached) {
    std::vector<std::string> pending{from};
    while (!pending.empty()) {
        const std::string name = std::move(pending.back());
        pending.pop_back();
        if (!reached.insert(name).second)
            continue;
        if (const auto callees = graph.find(name); callees != graph.end())
            pending.insert(pending.end(), callees->second.begin(), callees->second.end());
    }
}

ir::ModuleRef only(const ir::ModuleRef& module, const std::set<std::string>& names) {
    ir::Module part = *module;
    std::erase_if(part.functions, [&](const ir::FunctionRef& each) { return !names.contains(each->name); });
    return ir::make<ir::Module>(std::move(part));
}

} // namespace

ir::ModuleRef reached_part(const ir::ModuleRef& module, const std::vector<std::string>& names) {
    const compiler::CallGraph graph = compiler::call_graph(*module);
    std::set<std::string> reached;
    for (const std::string& name : names)
        add_reached(graph, name, reached);
    return only(module, reached);
}

bool only_kernels_refused(const DiagnosticSink& sink) {
    return sink.has_errors() && std::ranges::all_of(sink.all(), [](const Diagnostic& each) {
               return each.severity != Severity::Error || each.id == DiagId::KernelNeedsGpu;
           });
}

CpuPart cpu_part(Work& work, const ir::ModuleRef& script, bool checks_bounds) {
    const compiler::CallGraph graph = compiler::call_graph(*script);
    CpuPart part;
    std::set<std::string> kept;
    for (const ir::FunctionRef& function : script->functions) {
        if (function->func_kind != ir::FuncKind::Public)
            continue;
        std::set<std::string> reached;
        add_reached(graph, function->name, reached);
        DiagnosticSink sink;
        if (lowered_for_cpu(work, only(script, reached), checks_bounds, sink))
            kept.merge(reached);
        else
            part.refused[function->name] = sink.take();
    }
    if (!kept.empty())
        part.script = only(script, kept);
    return part;
}

} // namespace hidet::session
