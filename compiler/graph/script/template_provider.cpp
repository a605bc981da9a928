// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/template_provider.h"

#include <algorithm>
#include <filesystem>

#include "compiler/graph/passes/pass.h"
#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/language.h"
#include "compiler/graph/script/template_task.h"
#include "compiler/graph/script/templates.h"
#include "lang/base/text.h"
#include "lang/host/compiled_module.h"
#include "lang/host/interpreter.h"
#include "lang/parse/parser.h"
#include "lang/script/module.h"

namespace hidet::graph {

// The files of compiler/schedule/templates, by name: made by the build.
std::vector<std::pair<std::string_view, std::string_view>> template_texts();

namespace {

// What a template returned: a script module, its IR, or what build() made of it.
ir::ModuleRef module_of(Evaluator& evaluator, const HostValue& value, Span span) {
    if (const auto* source = value.extension<lang::IrModuleValue>())
        return source->module(span, evaluator);
    if (const auto* built = value.extension<lang::CompiledModule>())
        return built->module();
    if (auto* script = value.extension<lang::ScriptModule>())
        return script->ir_module(span, evaluator);
    fail(DiagId::BadType, span, cat("a template returns a script module, not '", lang::type_name(value), "'"));
}

// Mistakes are diagnostics, a refusal is one too. Nothing: the module has mistakes, which were reported.
std::optional<AnchorSchedule> called(Evaluator& evaluator, const TemplateDeclaration& declaration, const Graph& graph,
                                     NodeId node, const artifact::TargetSpec& target) {
    const auto orders = std::make_shared<std::vector<std::optional<Ints>>>();
    Args args;
    args.positional = {template_task(evaluator, graph, node, orders, declaration.place), template_target(target)};
    args.spans.assign(2, declaration.place);
    const HostValue returned = evaluator.call(declaration.function, args, declaration.place);
    AnchorSchedule schedule{module_of(evaluator, returned, declaration.place), declaration.name, *orders};
    return schedule.module ? std::optional(std::move(schedule)) : std::nullopt;
}

bool has_known_extents(const Graph& graph, const Node& node) {
    const auto is_known = [&](ValueId value) { return constant_shape(graph.value(value).spec.shape).has_value(); };
    return std::ranges::all_of(node.inputs, is_known) && std::ranges::all_of(node.outputs, is_known);
}

} // namespace

bool TemplateScope::takes(const Graph& graph, NodeId id, const artifact::TargetSpec& target) const {
    const Node& node = graph.node(id);
    if (!target.is_cuda() || !node.task || !node.is(op) || node.inputs.empty() || target.arch.number < capability)
        return false;
    const ir::DType dtype = graph.value(node.inputs[0]).spec.dtype;
    const bool has_dtype = dtypes.empty() || std::ranges::find(dtypes, dtype) != dtypes.end();
    return has_dtype && has_known_extents(graph, node);
}

const std::vector<TemplateSource>& our_templates() {
    static const std::vector<TemplateSource> files = [] {
        std::vector<TemplateSource> all;
        for (const auto& [name, text] : template_texts())
            all.push_back({std::string(name), std::string(text), {}, true});
        return all;
    }();
    return files;
}

// One script, evaluated.
class ScriptTemplates::Evaluation {
public:
    Evaluation(SourceMap& sources, const File& file) : m_evaluator(sources, m_sink, options_of(file), nullptr) {
        m_evaluator.run(file.module);
    }

    const std::vector<TemplateDeclaration>& declarations() { return graphs_of(m_evaluator).templates; }
    DiagnosticSink& sink() { return m_sink; }

    // Nothing: the template does not take the operator, or it has mistakes, which the sink knows.
    std::optional<AnchorSchedule> schedule(const Row& row, const Graph& graph, NodeId node,
                                           const artifact::TargetSpec& target) {
        const auto found = std::ranges::find(declarations(), row.function, &TemplateDeclaration::name);
        if (found == declarations().end())
            return std::nullopt; // its script failed before it
        std::optional<AnchorSchedule> schedule;
        const HostValue callee = HostValue::native(row.name, [&](Evaluator& evaluator, Args&, Span) {
            schedule = called(evaluator, *found, graph, node, target);
            return HostValue();
        });
        Args none;
        m_evaluator.try_call(callee, none, found->place);
        if (schedule)
            schedule->name = row.name;
        return schedule;
    }
    // By a check of its own, which is all that is wrong.
    bool is_refused() const { return m_sink.all().size() == 1 && m_sink.all().front().id == DiagId::ScheduleRefused; }

private:
    static lang::EvalOptions options_of(const File& file) {
        lang::EvalOptions options;
        options.mode = lang::Mode::Preview; // nothing runs
        options.script_folder = file.folder;
        options.graphs = make_graph_language({}, file.stem);
        return options;
    }

    DiagnosticSink m_sink;
    Evaluator m_evaluator;
};

ScriptTemplates::ScriptTemplates(SourceMap& sources, DiagnosticSink& sink, const std::vector<TemplateSource>& files)
    : m_sources(sources), m_sink(sink) {
    for (const TemplateSource& source : files) {
        const FileId id = sources.add(source.name, source.text);
        m_files.push_back(
            {std::filesystem::path(source.name).stem().string(), source.folder, lang::parse(sources, id, sink)});
        m_imports = m_imports || !source.folder.empty();
    }
    for (std::size_t i = 0; i < m_files.size(); ++i) {
        Evaluation evaluation(m_sources, m_files[i]);
        const bool is_only = evaluation.declarations().size() == 1;
        for (const TemplateDeclaration& each : evaluation.declarations()) {
            const std::string name = is_only ? m_files[i].stem : cat(m_files[i].stem, ".", each.name);
            m_rows.push_back({i, name, each.name, each.scope, files[i].is_ours});
        }
        for (Diagnostic& diagnostic : evaluation.sink().take())
            sink.report(std::move(diagnostic));
    }
    std::ranges::stable_sort(m_rows, [](const Row& a, const Row& b) {
        return a.is_ours && b.is_ours ? a.scope.capability > b.scope.capability : !a.is_ours && b.is_ours;
    });
}

std::vector<std::string> ScriptTemplates::names() const {
    std::vector<std::string> all = {by_rules};
    for (const Row& row : m_rows)
        all.push_back(row.name);
    return all;
}

std::optional<AnchorSchedule> ScriptTemplates::schedule(const Graph& graph, NodeId node,
                                                        const artifact::TargetSpec& target,
                                                        const std::string& wanted) const {
    if (wanted == by_rules)
        return std::nullopt;
    if (const auto row = std::ranges::find(m_rows, wanted, &Row::name); row != m_rows.end()) {
        if (row->scope.takes(graph, node, target))
            if (auto schedule = schedule_by(*row, graph, node, target))
                return schedule;
        const std::lock_guard lock(m_reporting);
        Diagnostic refused = Diagnostic::make(
            DiagId::BadValue, {}, cat("the template '", wanted, "' does not take this ", graph.node(node).op->name));
        refused.severity = Severity::Warning;
        m_sink.report(std::move(refused));
    }
    for (const Row& row : m_rows)
        if (row.scope.takes(graph, node, target))
            if (auto schedule = schedule_by(row, graph, node, target))
                return schedule;
    return std::nullopt;
}

std::optional<AnchorSchedule> ScriptTemplates::schedule_by(const Row& row, const Graph& graph, NodeId node,
                                                           const artifact::TargetSpec& target) const {
    std::unique_lock alone(m_importing, std::defer_lock);
    if (m_imports)
        alone.lock();
    Evaluation evaluation(m_sources, m_files[row.file]);
    auto schedule = evaluation.schedule(row, graph, node, target);
    if (schedule || evaluation.is_refused())
        return schedule;
    const std::lock_guard lock(m_reporting);
    for (Diagnostic& diagnostic : evaluation.sink().take())
        m_sink.report(std::move(diagnostic));
    throw RuleFailed(cat("the template '", row.name, "' failed"));
}

DeclaredTemplates::DeclaredTemplates(ScriptGraphs& graphs, Evaluator& evaluator)
    : m_graphs(graphs), m_evaluator(evaluator) {
    if (!graphs.our_templates)
        graphs.our_templates =
            std::make_unique<ScriptTemplates>(evaluator.impl().sources, evaluator.sink(), our_templates());
}

std::optional<AnchorSchedule> DeclaredTemplates::schedule(const Graph& graph, NodeId node,
                                                          const artifact::TargetSpec& target,
                                                          const std::string& wanted) const {
    for (auto each = m_graphs.templates.rbegin(); each != m_graphs.templates.rend(); ++each)
        try {
            if (each->scope.takes(graph, node, target))
                if (auto schedule = called(m_evaluator, *each, graph, node, target))
                    return schedule;
        } catch (const DiagnosticError& error) {
            if (error.diagnostic.id != DiagId::ScheduleRefused)
                throw;
        }
    return m_graphs.our_templates->schedule(graph, node, target, wanted);
}

} // namespace hidet::graph
