// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/template_provider.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/script/dynamic_schedule.h"
#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/implementation.h"
#include "compiler/graph/script/language.h"
#include "compiler/graph/script/schedule_text.h"
#include "compiler/graph/script/template_task.h"
#include "compiler/graph/script/templates.h"
#include "lang/base/text.h"
#include "lang/host/interpreter.h"
#include "lang/host/script_text.h"
#include "lang/parse/parser.h"

namespace hidet::graph {

// The files of compiler/schedule/templates, by name: made by the build.
std::vector<std::pair<std::string_view, std::string_view>> template_texts();

namespace {

// The function, called with the parameters that the schedule's text says. Mistakes are diagnostics, a refusal is one too.
// Nothing: the module has mistakes, which were reported.
std::optional<AnchorSchedule> called(Evaluator& evaluator, const TemplateDeclaration& declaration,
                                     const AnchorTask& task, const std::string& schedule) {
    const auto orders = std::make_shared<std::vector<std::optional<Ints>>>();
    std::optional<ScheduleText> text = read_schedule(schedule);
    if (!text)
        fail(DiagId::BadValue, declaration.place, cat("'", schedule, "' is no schedule such as 'matmul(stages=4)'"));
    Args args;
    args.positional = {template_task(evaluator, task, orders, declaration.place), template_target(task.target)};
    args.spans.assign(2, declaration.place);
    args.keywords = std::move(text->parameters);
    args.keyword_spans.assign(args.keywords.size(), declaration.place);
    args.keyword_name_spans = args.keyword_spans;
    ScriptGraphs& graphs = graphs_of(evaluator);
    graphs.typical = task.typical;
    graphs.condition = nullptr;
    graphs.counted.clear();
    const HostValue returned = evaluator.call(declaration.function, args, declaration.place);
    AnchorSchedule made{module_of(evaluator, returned, "a template", declaration.place), schedule, *orders,
                        graphs.condition, graphs.counted};
    return made.module ? std::optional(std::move(made)) : std::nullopt;
}

} // namespace

std::pair<int, bool> TemplateScope::rank() const {
    return {capability, std::ranges::find(dtypes, ir::DType::TF32) != dtypes.end()};
}

bool TemplateScope::takes(const AnchorTask& task) const {
    const Node& node = task.graph.node(task.node);
    if (!task.target.is_cuda() || !node.task || !node.is(op) || node.inputs.empty() ||
        task.target.arch.number < capability)
        return false;
    const auto has = [&](ir::DType dtype) { return std::ranges::find(dtypes, dtype) != dtypes.end(); };
    const bool has_dtype = dtypes.empty() || has(task.graph.value(node.inputs[0]).spec.dtype) ||
                           (permits_tf32(node) && has(ir::DType::TF32));
    return has_dtype && (dynamic || !has_dynamic_extents(task));
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
    std::vector<TemplateMetric> take_metrics() { return std::exchange(graphs_of(m_evaluator).metrics, {}); }

    const TemplateDeclaration* declaration(const Row& row) { // null: its script failed before it
        const auto found = std::ranges::find(declarations(), row.function, &TemplateDeclaration::name);
        return found == declarations().end() ? nullptr : &*found;
    }
    // Nothing: the template does not take the operator, or it has mistakes, which the sink knows.
    std::optional<AnchorSchedule> schedule(const Row& row, const AnchorTask& task, const std::string& text) {
        const TemplateDeclaration* found = declaration(row);
        if (!found)
            return std::nullopt;
        std::optional<AnchorSchedule> schedule;
        const HostValue callee = HostValue::native(row.name, [&](Evaluator& evaluator, Args&, Span) {
            schedule = called(evaluator, *found, task, text);
            return HostValue();
        });
        Args none;
        m_evaluator.try_call(callee, none, found->place);
        return schedule;
    }
    // By a check of its own, which is all that is wrong.
    bool is_refused() const { return m_sink.all().size() == 1 && m_sink.all().front().id == DiagId::ScheduleRefused; }
    // Of what was just tried; the next one starts without it.
    std::string take_refusal() {
        std::vector<Diagnostic> said = m_sink.take();
        return said.empty() ? "it made no module" : std::move(said.front().message);
    }

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
    for (const LibraryModule& module : library_modules()) // evaluations go on side by side, and add no sources
        sources.add(lang::path_of_library(module.name), std::string(module.text));
    for (const TemplateSource& source : files) {
        const FileId id = sources.add(source.name, source.text);
        m_files.push_back({std::filesystem::path(source.name).stem().string(), source.name, source.folder, source.text,
                           lang::parse(sources, id, sink)});
        m_imports = m_imports || !source.folder.empty();
    }
    for (std::size_t i = 0; i < m_files.size(); ++i) {
        Evaluation evaluation(m_sources, m_files[i]);
        const bool is_only = evaluation.declarations().size() == 1;
        for (const TemplateDeclaration& each : evaluation.declarations()) {
            const std::string name = is_only ? m_files[i].stem : cat(m_files[i].stem, ".", each.name);
            const int line = sources.file(each.place.file).position(each.place.begin).line;
            m_rows.push_back({i, name, each.name, each.scope, files[i].is_ours, line});
        }
        for (Diagnostic& diagnostic : evaluation.sink().take())
            sink.report(std::move(diagnostic));
    }
    std::ranges::stable_sort(m_rows, [](const Row& a, const Row& b) {
        return a.is_ours && b.is_ours ? a.scope.rank() > b.scope.rank() : !a.is_ours && b.is_ours;
    });
    std::set<std::string> taken;
    std::erase_if(m_rows, [&](const Row& row) { return !taken.insert(row.name).second; });
}

std::vector<std::string> ScriptTemplates::names() const {
    std::vector<std::string> all = {by_rules};
    for (const Row& row : m_rows)
        all.push_back(row.name);
    return all;
}

const ScriptTemplates::Row* ScriptTemplates::find(const std::string& schedule) const {
    const auto row = std::ranges::find(m_rows, template_of(schedule), &Row::name);
    return row == m_rows.end() ? nullptr : &*row;
}

std::unique_lock<std::mutex> ScriptTemplates::lock_imports() const {
    return m_imports ? std::unique_lock(m_importing) : std::unique_lock(m_importing, std::defer_lock);
}

std::optional<AnchorSchedule> ScriptTemplates::schedule(const AnchorTask& task, const std::string& wanted) const {
    if (wanted == by_rules)
        return std::nullopt;
    const std::unique_lock alone = lock_imports();
    Evaluations open;
    const auto first = [&](const AnchorTask& asked) { return first_to_take(asked, wanted, open); };
    return schedule_by_size(task, first);
}

std::optional<AnchorSchedule> ScriptTemplates::first_to_take(const AnchorTask& task, const std::string& wanted,
                                                             Evaluations& open) const {
    if (const Row* row = find(wanted)) {
        if (row->scope.takes(task))
            if (auto schedule = schedule_by(*row, task, wanted, open))
                return schedule;
        const std::lock_guard lock(m_reporting);
        Diagnostic refused = Diagnostic::make(
            DiagId::BadValue, {},
            cat("the template '", wanted, "' does not take this ", task.graph.node(task.node).op->name));
        refused.severity = Severity::Warning;
        m_sink.report(std::move(refused));
    }
    for (const Row& row : m_rows)
        if (row.scope.takes(task))
            if (auto schedule = schedule_by(row, task, row.name, open))
                return schedule;
    return std::nullopt;
}

std::optional<AnchorSchedule> ScriptTemplates::schedule_by(const Row& row, const AnchorTask& task,
                                                           const std::string& text, Evaluations& open) const {
    std::unique_ptr<Evaluation>& evaluation = open[row.file];
    if (!evaluation)
        evaluation = std::make_unique<Evaluation>(m_sources, m_files[row.file]);
    auto schedule = evaluation->schedule(row, task, text);
    if (schedule)
        return schedule;
    if (evaluation->is_refused()) {
        (void)evaluation->take_refusal();
        return std::nullopt;
    }
    const std::lock_guard lock(m_reporting);
    for (Diagnostic& diagnostic : evaluation->sink().take())
        m_sink.report(std::move(diagnostic));
    throw RuleFailed(cat("the template '", row.name, "' failed"));
}

std::vector<std::string> ScriptTemplates::candidates(const AnchorTask& task, std::int64_t level) const {
    std::vector<std::string> all;
    if (has_dynamic_extents(task)) // nothing could be measured
        return all;
    for (const Row& row : m_rows) {
        if (!row.scope.takes(task))
            continue;
        const std::unique_lock alone = lock_imports();
        Evaluation evaluation(m_sources, m_files[row.file]);
        if (const TemplateDeclaration* declared = evaluation.declaration(row))
            std::ranges::move(schedules_of(row.name, declared->spaces, level), std::back_inserter(all));
    }
    return all;
}

// A script is evaluated once for many schedules, and anew from time to time, because an evaluation has budgets.
std::vector<ScheduleAttempt> ScriptTemplates::attempt(const AnchorTask& task,
                                                      const std::vector<std::string>& schedules) const {
    constexpr int most_calls = 64;
    const std::unique_lock alone = lock_imports();
    std::vector<ScheduleAttempt> out;
    const Row* open = nullptr;
    std::unique_ptr<Evaluation> evaluation;
    int calls = 0;
    for (const std::string& text : schedules) {
        const Row* row = find(text);
        if (!row || !row->scope.takes(task)) {
            out.push_back({std::nullopt, cat("there is no template '", template_of(text), "' for this operator")});
            continue;
        }
        if (row != open || calls++ == most_calls) {
            evaluation = std::make_unique<Evaluation>(m_sources, m_files[row->file]);
            open = row;
            calls = 0;
        }
        ScheduleAttempt attempt{evaluation->schedule(*row, task, text), {}};
        if (!attempt.schedule)
            attempt.refusal = evaluation->take_refusal();
        attempt.metrics = evaluation->take_metrics();
        out.push_back(std::move(attempt));
    }
    return out;
}

std::optional<TemplateSite> ScriptTemplates::site_of(const std::string& schedule) const {
    const Row* row = find(schedule);
    if (!row)
        return std::nullopt;
    const File& file = m_files[row->file];
    return TemplateSite{file.name, file.text, row->line, row->is_ours};
}

std::string ScriptTemplates::source_of(const std::string& schedule) const {
    const Row* row = find(schedule);
    return row ? m_files[row->file].text : "";
}

DeclaredTemplates::DeclaredTemplates(ScriptGraphs& graphs, Evaluator& evaluator)
    : m_graphs(graphs), m_evaluator(evaluator) {
    if (!graphs.our_templates)
        graphs.our_templates =
            std::make_unique<ScriptTemplates>(evaluator.impl().sources, evaluator.sink(), our_templates());
}

bool DeclaredTemplates::takes_any_thread() const {
    return m_graphs.templates.empty();
}

const TemplateDeclaration* DeclaredTemplates::find(const std::string& schedule) const {
    const auto found = std::ranges::find(m_graphs.templates, template_of(schedule), &TemplateDeclaration::name);
    return found == m_graphs.templates.end() ? nullptr : &*found;
}

std::optional<AnchorSchedule> DeclaredTemplates::schedule(const AnchorTask& task, const std::string& wanted) const {
    const TemplateDeclaration* chosen = find(wanted);
    const auto first = [&](const AnchorTask& typical) -> std::optional<AnchorSchedule> {
        for (auto each = m_graphs.templates.rbegin(); each != m_graphs.templates.rend(); ++each)
            try {
                if ((!chosen || chosen == &*each) && each->scope.takes(typical))
                    if (auto schedule = called(m_evaluator, *each, typical, chosen ? wanted : each->name))
                        return schedule;
            } catch (const DiagnosticError& error) {
                if (error.diagnostic.id != DiagId::ScheduleRefused)
                    throw;
            }
        return std::nullopt;
    };
    if (auto own = schedule_by_size(task, first))
        return own;
    return m_graphs.our_templates->schedule(task, chosen ? "" : wanted);
}

std::vector<std::string> DeclaredTemplates::candidates(const AnchorTask& task, std::int64_t level) const {
    std::vector<std::string> all;
    if (has_dynamic_extents(task))
        return all;
    for (auto each = m_graphs.templates.rbegin(); each != m_graphs.templates.rend(); ++each)
        if (each->scope.takes(task))
            std::ranges::move(schedules_of(each->name, each->spaces, level), std::back_inserter(all));
    std::ranges::move(m_graphs.our_templates->candidates(task, level), std::back_inserter(all));
    return all;
}

std::vector<ScheduleAttempt> DeclaredTemplates::attempt(const AnchorTask& task,
                                                        const std::vector<std::string>& schedules) const {
    std::vector<ScheduleAttempt> out;
    for (const std::string& text : schedules) {
        const TemplateDeclaration* declared = find(text);
        if (!declared) {
            std::ranges::move(m_graphs.our_templates->attempt(task, {text}), std::back_inserter(out));
            continue;
        }
        ScheduleAttempt attempt;
        try {
            attempt.schedule = called(m_evaluator, *declared, task, text);
            attempt.refusal = attempt.schedule ? "" : "it made no module";
        } catch (const DiagnosticError& error) {
            attempt.refusal = error.diagnostic.message;
        }
        attempt.metrics = std::exchange(m_graphs.metrics, {});
        out.push_back(std::move(attempt));
    }
    return out;
}

std::string DeclaredTemplates::source_of(const std::string& schedule) const {
    const TemplateDeclaration* declared = find(schedule);
    return declared ? std::string(m_evaluator.impl().sources.file(declared->place.file).text())
                    : m_graphs.our_templates->source_of(schedule);
}

} // namespace hidet::graph
