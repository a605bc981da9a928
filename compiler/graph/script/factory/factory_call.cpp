// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/factory/factory_call.h"

#include <algorithm>
#include <exception>
#include <set>

#include "compiler/graph/script/compiled_graph.h"
#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/implementation.h"
#include "compiler/graph/script/pass_context.h"
#include "compiler/graph/script/schedule_text.h"
#include "compiler/graph/script/template_provider.h"
#include "compiler/ir/text/print.h"
#include "lang/base/text.h"
#include "lang/host/interpreter.h"

namespace hidet::graph {

namespace {

using GivenArguments = std::vector<std::pair<std::string, HostValue>>;

// A call of the function that only shows which module it makes: nothing is built, printed or recorded, random numbers go on
// as if it had not been, and its mistakes are told to who asks.
struct FactoryTrial {
    ir::ModuleRef module;
    std::string refusal;       // why there is none
    std::exception_ptr thrown; // null: it was only reported
    std::vector<Diagnostic> mistakes;
    bool is_refused = false; // by tune.check()
};

class Unseen {
public:
    explicit Unseen(Evaluator& evaluator)
        : m_impl(evaluator.impl()), m_engine(m_impl.engine), m_random(m_impl.random), m_sink_before(m_impl.sink.take()),
          m_modules(m_impl.result.modules.size()), m_calls(m_impl.result.calls.size()),
          m_printed(m_impl.result.output.size()), m_nodes(m_impl.nodes),
          m_translation_errors(m_impl.translation_errors) {
        m_impl.engine = nullptr;
    }
    ~Unseen() {
        m_impl.engine = m_engine;
        m_impl.random = m_random;
        m_impl.sink.take();
        for (Diagnostic& each : m_sink_before)
            m_impl.sink.report(std::move(each));
        m_impl.result.modules.resize(m_modules);
        m_impl.result.calls.resize(m_calls);
        m_impl.result.output.resize(m_printed);
        m_impl.nodes = m_nodes; // of modules that nobody gets
        m_impl.translation_errors = m_translation_errors;
    }
    Unseen(const Unseen&) = delete;
    Unseen& operator=(const Unseen&) = delete;

private:
    Evaluator::Impl& m_impl;
    lang::Engine* const m_engine;
    const lang::Random m_random;
    std::vector<Diagnostic> m_sink_before;
    const std::size_t m_modules, m_calls, m_printed;
    const std::uint64_t m_nodes;
    const int m_translation_errors;
};

bool has_default(const lang::FunctionObject& function, const std::string& name) {
    for (std::size_t i = 0; i < function.params.size(); ++i)
        if (function.params[i].name.text == name)
            return !function.defaults[i].is(ValueKind::Unbound);
    return false;
}

// Of parameters that the call leaves open.
TuningSpaces left_open(const TuningSpaces& spaces, const std::set<std::string>& given) {
    TuningSpaces open;
    for (const auto& [level, axes] : spaces)
        for (const TuningAxis& axis : axes) {
            TuningAxis kept;
            std::set<std::string> known; // texts of choices
            std::vector<std::size_t> columns;
            for (std::size_t i = 0; i < axis.parameters.size(); ++i)
                if (!given.contains(axis.parameters[i]))
                    columns.push_back(i), kept.parameters.push_back(axis.parameters[i]);
            for (const std::vector<HostValue>& choice : axis.choices) {
                ScheduleText text{"", {}};
                for (const std::size_t i : columns)
                    text.parameters.emplace_back(axis.parameters[i], choice[i]);
                if (known.insert(write_schedule(text)).second)
                    kept.choices.push_back(transformed(columns, [&](std::size_t i) { return choice[i]; }));
            }
            if (!columns.empty())
                open[level].push_back(std::move(kept));
        }
    return open;
}

// As records name an argument. Nothing: they cannot.
std::optional<HostValue> nameable(Evaluator& evaluator, const HostValue& value) {
    if (value.is(ValueKind::Type))
        return HostValue::str(evaluator.str(value));
    if (value.is(ValueKind::List) || value.is(ValueKind::Tuple)) {
        std::vector<HostValue> items;
        for (const HostValue& item : value.items()) {
            std::optional<HostValue> named = nameable(evaluator, item);
            if (!named)
                return std::nullopt;
            items.push_back(std::move(*named));
        }
        HostValue tuple = HostValue::tuple(std::move(items));
        return is_plain(tuple) ? std::optional(std::move(tuple)) : std::nullopt;
    }
    return is_plain(value) ? std::optional(value) : std::nullopt;
}

class FactoryCall : public Implementation {
public:
    FactoryCall(ScriptGraphs& graphs, Evaluator& evaluator, const TunedFunction& tuned, const Args& args, Span span)
        : m_graphs(graphs), m_evaluator(evaluator), m_function(tuned.function),
          m_name(lang::as_function(tuned.function).name), m_args(args), m_span(span) {
        std::set<std::string> given;
        for (const auto& [name, value] : arguments())
            given.insert(name);
        m_spaces = left_open(tuned.spaces, given);
    }

    std::string key() const override { return m_key; }
    const std::string& name() const override { return m_name; }
    std::vector<std::string> schedules(const AnchorTask& task, std::int64_t level) const override;
    std::optional<AnchorSchedule> schedule(const AnchorTask& task, const std::string& text) const override {
        return attempt(task, text).schedule;
    }
    ScheduleAttempt attempt(const AnchorTask& task, const std::string& text) const override;
    std::string source() const override { return m_source; }
    [[noreturn]] void refuse(const AnchorTask&, const std::string& why) const override { throw OpError(why); }

    bool has_choice() const { return !m_spaces.empty(); }
    bool name_arguments(); // false: records cannot name one of them, which is told
    std::string untuned() const;
    HostValue call(const std::string& schedule) const;
    const FactoryTrial& tried(const std::string& schedule) const;
    std::string first_that_works();

private:
    GivenArguments arguments() const;
    FactoryTrial try_out(const std::string& schedule) const;
    void note_source(const ir::Module& module);
    [[noreturn]] void fail_as(const FactoryTrial& trial) const;

    ScriptGraphs& m_graphs;
    Evaluator& m_evaluator;
    const HostValue m_function;
    const std::string m_name;
    const Args m_args;
    const Span m_span;
    TuningSpaces m_spaces;
    std::string m_key, m_source;
    mutable std::map<std::string, FactoryTrial> m_trials; // by schedule
};

// By the parameters that they are for; those behind the last one have no name.
GivenArguments FactoryCall::arguments() const {
    const lang::FunctionObject& function = lang::as_function(m_function);
    GivenArguments out;
    for (std::size_t i = 0; i < m_args.positional.size(); ++i) {
        const bool is_named =
            i < function.params.size() && (function.params[i].what == lang::ast::ParamKind::Normal ||
                                           function.params[i].what == lang::ast::ParamKind::PositionalOnly);
        out.emplace_back(is_named ? std::string(function.params[i].name.text) : "", m_args.positional[i]);
    }
    out.insert(out.end(), m_args.keywords.begin(), m_args.keywords.end());
    return out;
}

bool FactoryCall::name_arguments() {
    ScheduleText text{m_name, {}};
    for (std::size_t i = 0; auto& [name, value] : arguments()) {
        std::optional<HostValue> named = nameable(m_evaluator, value);
        if (!named) {
            const std::size_t keyword = i - m_args.positional.size();
            const Span at = i < m_args.positional.size()            ? m_args.span_of(i, m_span)
                            : keyword < m_args.keyword_spans.size() ? m_args.keyword_spans[keyword]
                                                                    : m_span;
            Diagnostic warning = Diagnostic::make(
                DiagId::BadValue, at,
                cat("'", m_name, "' is called with its defaults: records of tuning cannot name an argument of type '",
                    lang::type_name(value), "'"));
            warning.severity = Severity::Warning;
            m_evaluator.sink().report(std::move(warning));
            return false;
        }
        text.parameters.emplace_back(name.empty() ? cat("_", i) : name, std::move(*named));
        ++i;
    }
    m_key = write_schedule(text);
    return true;
}

// As its defaults are, and where a parameter has none, with its first choice.
std::string FactoryCall::untuned() const {
    ScheduleText text{m_name, {}};
    for (const auto& [level, axes] : m_spaces)
        for (const TuningAxis& axis : axes)
            for (std::size_t i = 0; i < axis.parameters.size(); ++i) {
                const std::string& name = axis.parameters[i];
                const bool is_known =
                    std::ranges::any_of(text.parameters, [&](const auto& p) { return p.first == name; });
                if (!is_known && !has_default(lang::as_function(m_function), name))
                    text.parameters.emplace_back(name, axis.choices.front()[i]);
            }
    return write_schedule(text);
}

std::vector<std::string> FactoryCall::schedules(const AnchorTask&, std::int64_t level) const {
    std::vector<std::string> all = schedules_of(m_name, m_spaces, level);
    all.front() = untuned();
    return all;
}

HostValue FactoryCall::call(const std::string& schedule) const {
    std::optional<ScheduleText> text = read_schedule(schedule);
    if (!text || text->name != m_name)
        fail(DiagId::BadValue, m_span, cat("'", schedule, "' is no schedule of '", m_name, "'"));
    Args args = m_args;
    for (auto& parameter : text->parameters)
        args.keywords.push_back(std::move(parameter));
    args.keyword_spans.resize(args.keywords.size(), m_span);
    args.keyword_name_spans.resize(args.keywords.size(), m_span);
    return m_evaluator.call(m_function, args, m_span);
}

FactoryTrial FactoryCall::try_out(const std::string& schedule) const {
    FactoryTrial trial;
    const Unseen unseen(m_evaluator);
    try {
        trial.module =
            module_of(m_evaluator, call(schedule), cat("'", m_name, "', which has a space,").c_str(), m_span);
    } catch (const DiagnosticError& error) {
        if (!Evaluator::Impl::can_be_caught(error.diagnostic))
            throw;
        trial.thrown = std::current_exception();
        trial.refusal = error.diagnostic.message;
        trial.is_refused = error.diagnostic.id == DiagId::ScheduleRefused;
    } catch (const lang::RaisedError& error) {
        trial.thrown = std::current_exception();
        trial.refusal = cat(error.exception->type->name, ": ", m_evaluator.impl().exception_text(*error.exception));
    }
    for (const Diagnostic& each : m_evaluator.sink().all())
        if (each.severity == Severity::Error)
            trial.mistakes.push_back(each);
    if (!trial.mistakes.empty()) {
        trial.module = nullptr;
        trial.refusal = trial.mistakes.front().message;
    } else if (!trial.module && trial.refusal.empty()) {
        trial.refusal = "it makes no module";
    }
    return trial;
}

const FactoryTrial& FactoryCall::tried(const std::string& schedule) const {
    const auto known = m_trials.find(schedule);
    return known != m_trials.end() ? known->second : m_trials.emplace(schedule, try_out(schedule)).first->second;
}

ScheduleAttempt FactoryCall::attempt(const AnchorTask&, const std::string& text) const {
    const FactoryTrial& trial = tried(text);
    if (!trial.module)
        return {std::nullopt, trial.refusal};
    return {AnchorSchedule{trial.module, text, {}}, ""};
}

// As records know what it makes.
void FactoryCall::note_source(const ir::Module& module) {
    const auto& function = lang::as_function(m_function);
    const Span place = function.def ? function.def->span : Span{};
    const std::string_view file = place.known() ? m_evaluator.sources().file(place.file).text() : std::string_view();
    m_source = cat(file.substr(place.begin, place.end - place.begin), "\n", ir::print_module(module).text);
}

void FactoryCall::fail_as(const FactoryTrial& trial) const {
    for (std::size_t i = 0; i < trial.mistakes.size(); ++i)
        if (i + 1 == trial.mistakes.size() && !trial.thrown)
            throw DiagnosticError(trial.mistakes[i]);
        else
            m_evaluator.sink().report(trial.mistakes[i]);
    if (trial.thrown)
        std::rethrow_exception(trial.thrown);
    throw lang::UnknownValue(); // it was cancelled
}

// The defaults, unless they are refused; what goes wrong with each of them is a diagnostic.
std::string FactoryCall::first_that_works() {
    std::vector<std::string> all = {untuned()};
    for (const auto& [level, axes] : m_spaces) {
        const std::vector<std::string> points = schedules_of(m_name, m_spaces, level);
        all.insert(all.end(), points.begin() + 1, points.end());
    }
    for (const std::string& schedule : all)
        if (const FactoryTrial& trial = tried(schedule); trial.module) {
            note_source(*trial.module);
            return schedule;
        }
    const FactoryTrial& first = tried(all.front());
    if (!first.is_refused)
        fail_as(first);
    fail(DiagId::ScheduleRefused, m_span,
         cat("'", m_name, "' refuses all of its ", m_trials.size(), " schedules, '", all.front(),
             "' because: ", first.refusal));
}

// The call as tuning looks at it; an operator has an input and a result, and these hold nothing.
CompiledGraph graph_of(const std::shared_ptr<FactoryCall>& call, Span span) {
    const ir::TypeRef number = ir::tensor_type(ir::data_type(ir::DType::I32), {});
    Task task;
    task.name = call->name();
    task.is_opaque = true;
    task.allow_prologue = task.allow_epilogue = false;
    task.inputs.push_back(ir::make_var("call", number));
    task.inverse_maps.resize(1);
    task.outputs.push_back(ir::make_var("module", number));
    Stage stage;
    stage.tensor = task.outputs.front();
    stage.value = ir::int_constant(0, ir::DType::I32);
    task.stages.push_back(std::move(stage));
    task.implementation = call;
    CompiledGraph out;
    const ValueId input = out.graph.add_input("call", {ir::DType::I32, {}});
    out.graph.set_outputs(out.graph.add(
        op_info::OpaqueOperator(), {input},
        {{"name", call->key()}, {"task", std::make_shared<const Task>(std::move(task))}}, {{}, span, {}, {}}));
    const NodeId node = out.graph.topological().front();
    out.partition.groups.push_back({node, {node}, {Role::Anchor}});
    return out;
}

bool is_for_gpu(const ir::Module& module) {
    return std::ranges::any_of(module.functions,
                               [](const ir::FunctionRef& function) { return ir::runs_on_gpu(function->func_kind); });
}

} // namespace

HostValue call_factory(ScriptGraphs& graphs, Evaluator& evaluator, const TunedFunction& tuned, Args& args, Span span) {
    const auto is_unknown = [](const HostValue& value) { return value.is(ValueKind::Unknown); };
    if (std::ranges::any_of(args.positional, is_unknown) ||
        std::ranges::any_of(args.keywords, [&](const auto& keyword) { return is_unknown(keyword.second); }))
        return HostValue::unknown();
    const auto call = std::make_shared<FactoryCall>(graphs, evaluator, tuned, args, span);
    if (!graphs.can_run(evaluator) || !call->has_choice() || !call->name_arguments())
        return call->call(call->untuned());
    const std::string first = call->first_that_works();
    const artifact::TargetSpec target =
        is_for_gpu(*call->tried(first).module) ? gpu_of(graphs, evaluator, span) : graphs.engine(evaluator).cpu();
    const int level = tuning_level(graphs, evaluator);
    const auto [known, is_new] =
        graphs.factory_schedules.try_emplace(cat(level, " ", target.name, " ", call->key(), "\n", call->source()));
    if (is_new) {
        const CompiledGraph compiled = graph_of(call, span);
        const DeclaredTemplates none(graphs, evaluator);
        const Partition chosen = graphs.engine(evaluator).tuned(compiled, target, none, level, evaluator.sink());
        known->second = chosen.groups.front().schedule;
    }
    // What is recorded may depend on what has changed since.
    const bool is_chosen = !known->second.empty() && call->tried(known->second).module;
    return call->call(is_chosen ? known->second : first);
}

bool is_factory_call(const Graph& graph) {
    const std::vector<NodeId> nodes = graph.topological();
    const Task* task = nodes.size() == 1 ? graph.node(nodes.front()).task.get() : nullptr;
    return task && dynamic_cast<const FactoryCall*>(task->implementation.get());
}

} // namespace hidet::graph
