// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/session/compare/compare.h"
#include "app/session/compare/tolerance.h"
#include "app/session/model/compare/compare_nodes.h"
#include "app/session/model/compare/few_bits.h"
#include "app/session/model/inputs.h"
#include "app/session/model/processes.h"
#include "app/session/model/request.h"
#include "app/session/model/stages.h"
#include "app/session/package/graph_file.h"
#include "app/session/package/package_run.h"
#include "app/session/package/package_sharing.h"
#include "app/session/request/source.h"
#include "app/session/script/engine.h"
#include "app/session/work/refusal.h"
#include "lang/base/file_place.h"
#include "lang/base/files.h"
#include "lang/base/quantity.h"
#include "lang/tensor/elements.h"
#include "lang/tensor/npy.h"
#include "runtime/capi/hidet_runtime.h"

namespace hidet::session {

using namespace graph;

namespace {

// One run as a Chrome trace (chrome://tracing, Perfetto): an event for each step.

struct TraceEvent {
    std::string name;
    std::vector<std::string> nodes;
    std::vector<std::string> tensors; // "float32[1, 64, 56, 56]": arguments
    double start_us = 0;
    double duration_us = 0;
    bool is_host = false;
};

std::string trace_text(const std::string& model, const std::string& where, const std::vector<TraceEvent>& events) {
    using Json = nlohmann::ordered_json;
    Json rows = Json::array();
    rows.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", 0}, {"args", {{"name", model}}}});
    rows.push_back({{"name", "thread_name"}, {"ph", "M"}, {"pid", 0}, {"tid", 0}, {"args", {{"name", where}}}});
    for (const TraceEvent& event : events)
        rows.push_back({{"name", event.name},
                        {"cat", event.is_host ? "host" : "kernel"},
                        {"ph", "X"},
                        {"pid", 0},
                        {"tid", 0},
                        {"ts", event.start_us},
                        {"dur", event.duration_us},
                        {"args", {{"operators", event.nodes}, {"tensors", event.tensors}}}});
    const Json out = {{"displayTimeUnit", "ms"}, {"traceEvents", rows}};
    return out.dump(1) + "\n";
}

// The first elements, and what all of them are like.
std::string summary_of(const lang::Tensor& tensor) {
    if (!lang::holds_numbers(tensor.dtype))
        return "";
    const lang::Doubles numbers = lang::read_doubles(tensor);
    if (numbers.empty())
        return "empty";
    std::vector<std::string> first;
    for (std::size_t i = 0; i < numbers.size() && i < 4; ++i)
        first.push_back(digits_text(numbers[i], 6));
    std::string text = "[" + join(first, ", ") + (numbers.size() > 4 ? ", ..." : "") + "]";
    double sum = 0;
    for (const double number : numbers)
        sum += number;
    if (numbers.size() > 1)
        text += cat(", mean ", digits_text(sum / static_cast<double>(numbers.size()), 6), ", least ",
                    digits_text(*std::ranges::min_element(numbers), 6), ", greatest ",
                    digits_text(*std::ranges::max_element(numbers), 6));
    return text;
}

Tolerance tolerance_for(const ModelRunRequest& request, const lang::Tensor& recorded, const Way& way) {
    const Tolerance usual = recorded_tolerance(recorded, way);
    return {request.absolute ? request.absolute : usual.absolute, request.relative ? request.relative : usual.relative};
}

// What is run: a model, or a package.
class ModelRun {
public:
    ModelRun(Work& work, const ModelRunRequest& request, ModelRunResult& result)
        : m_work(work), m_request(request), m_run(run_request_of(request)), m_result(result) {}

    bool run() {
        if (!can_write())
            return false;
        if (is_package(m_request.path) && first_member_of(m_request.path) != graph_member)
            return open_package() && run_on_files();
        if (!m_request.entry.empty())
            return wrong_usage(cat("--entry is for packages, and '", m_request.path, "' is a model"));
        ModelStages stages(m_work, m_request);
        stages.settings.shape_of = shapes_of_files(m_request);
        stages.settings.is_given = inputs_given(m_request);
        if (!stages.all())
            return false;
        m_result.facts = stages.facts();
        m_stages = &stages;
        m_runner = &stages.runner().plan_runner();
        return run_on_files();
    }

private:
    bool open_package() {
        if (const std::string wrong = option_for_models(); !wrong.empty())
            return wrong_usage(cat("'", m_request.path, "' is a package, which ", wrong));
        if (const int count = processes_of_package(m_request.path, m_request.entry);
            count > 0 && count != m_request.processes)
            return wrong_usage(cat("'", m_request.path, "' is a package of ", count,
                                   " processes, which 'hidetc model run ", m_request.path, "' starts"));
        if (!m_request.meeting.empty()) {
            m_engine = std::make_unique<ScriptEngine>(m_work, m_run);
            if (!m_engine->has_wanted_gpu() || !meet_others(m_work, m_request, *m_engine, ""))
                return false;
        }
        m_work.enter("loading the package");
        Work::Clock clock(m_work, "load");
        PackageOptions options{m_request.path, m_request.entry, m_request.target, m_request.trusts,
                               !m_request.trace.empty()};
        options.is_poisoned = !m_request.data.empty() || !m_request.expected.empty();
        options.is_stopped = [this] { return m_work.stopped(); };
        hidet_error error;
        m_package = m_engine ? PackageSharing(*m_engine, [this] { return m_engine->own_gpu(); }).open(options, error)
                             : PackageRun::open(std::move(options), error);
        if (!m_package)
            return refuse(error);
        if (!has_dimensions(m_package->plan()))
            return false;
        m_result.facts = facts_of(m_package->plan());
        return true;
    }
    bool refuse(const hidet_error& error) {
        const std::string message = message_of(error);
        switch (fault_of(error)) {
        case PackageFault::Cancelled: break;
        case PackageFault::Missing:
            m_work.sink.report(DiagId::FileUnreadable, {}, m_request.path, reason_of(error));
            break;
        case PackageFault::Damaged: m_work.sink.report(DiagId::FileUnreadable, {}, m_request.path, message); break;
        case PackageFault::NotTrusted: return wrong_usage(cat(message, ": '--trust' allows it"));
        case PackageFault::WrongUsage: return wrong_usage(message);
        case PackageFault::Mistake: m_work.sink.report(DiagId::BadValue, {}, message); break;
        case PackageFault::Environment: report_environment(m_work, m_work.sink, {"package-not-run", message});
        }
        return false;
    }
    // What was decided when the plan was made.
    std::string option_for_models() const {
        const std::pair<bool, const char*> options[] = {{!m_request.off.empty(), "--off"},
                                                        {!m_request.on.empty(), "--on"},
                                                        {!m_request.with.empty(), "--with"},
                                                        {!m_request.fuse, "--no-fusion"},
                                                        {!m_request.precision.empty(), "--precision"},
                                                        {!m_request.quantize.empty(), "--quantize"},
                                                        {!m_request.choices.empty(), "--choices"},
                                                        {m_request.compare, "--compare"}};
        for (const auto& [is_given, name] : options)
            if (is_given)
                return cat("does not take ", name);
        return "";
    }
    bool has_dimensions(const artifact::LaunchPlan& plan) {
        const std::vector<std::string> names = symbol_names(plan);
        for (const auto& [name, extent] : m_request.dims)
            if (std::ranges::find(names, name) == names.end())
                return wrong_usage(
                    cat("the plan has no dimension '", name, "'",
                        names.empty() ? "; all its extents are numbers" : "; it has '" + join(names, "', '") + "'"));
        return true;
    }
    bool wrong_usage(const std::string& message) { return report_wrong_usage(m_work, message); }

    bool run_on_files() {
        const auto inputs = model_inputs(m_work, m_request, plan());
        const auto recorded = recorded_outputs(m_work, m_request, plan());
        if (!inputs || !recorded)
            return false;
        return guarded_by_model(m_work, [&] { return run_on(*inputs, *recorded); });
    }

    bool writes() const { return m_request.rank == 0; } // of several processes the first one does
    // Known before anything is compiled.
    bool can_write() {
        if (!writes())
            return true;
        if (!m_request.output.empty()) {
            if (!make_folders(m_request.output) || !is_folder(m_request.output))
                return cannot_write(m_request.output, "it is not a folder, and none can be made there");
        }
        if (m_request.trace.empty())
            return true;
        const Result<FileReplacement> trace = FileReplacement::begin(m_request.trace);
        if (trace)
            return true;
        m_work.sink.report(file_problem(trace.error()));
        m_work.status = Status::Environment;
        return false;
    }
    bool cannot_write(const std::string& path, const std::string& why) {
        m_work.sink.report(DiagId::FileUnwritable, {}, path, why);
        m_work.status = Status::Environment;
        return false;
    }

    bool run_on(const Tensors& inputs, const Tensors& recorded) {
        m_work.enter("running the model");
        if (!bind(inputs) || !steps())
            return false;
        if (!m_request.trace.empty() && !write_trace())
            return false;
        if (!replay())
            return false;
        hidet_error error;
        const std::optional<Tensors> made = m_package ? m_package->outputs(error) : m_runner->outputs();
        if (!made)
            return refuse(error);
        const Tensors& outputs = *made;
        if (recorded.size() > outputs.size()) {
            m_work.sink.report(
                DiagId::BadValue, {},
                cat("the data set records ", recorded.size(), " results, and the model has ", outputs.size()));
            return false;
        }
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (!take(i, *outputs[i], i < recorded.size() ? recorded[i].get() : nullptr))
                return false;
        return !m_request.compare || compare_operators(inputs);
    }

    const artifact::LaunchPlan& plan() const { return m_package ? m_package->plan() : m_runner->plan(); }
    bool bind(const Tensors& inputs) {
        if (m_package)
            return with_package([&](hidet_error& error) { return m_package->bind(inputs, error); });
        m_stages->runner().bind(inputs);
        return true;
    }

    bool with_package(const auto& call) {
        hidet_error error;
        return call(error) || refuse(error);
    }
    bool package_steps() {
        const auto start = std::chrono::steady_clock::now();
        if (!with_package([&](hidet_error& error) { return m_package->run(error); }))
            return false;
        m_result.run_ms = milliseconds_since(start);
        m_result.where = m_package->where();
        double at = 0;
        m_events.clear();
        for (PackageStep& step : m_package->take_steps()) {
            TraceEvent event;
            event.name = std::move(step.name);
            event.start_us = std::exchange(at, at + step.microseconds);
            event.duration_us = step.microseconds;
            m_events.push_back(std::move(event));
        }
        return true;
    }

    bool steps() {
        if (m_package)
            return package_steps();
        const auto start = std::chrono::steady_clock::now();
        const StepProgress progress(m_request, "running");
        const artifact::LaunchPlan& plan = this->plan();
        for (std::uint32_t i = 0; i < plan.steps.size(); ++i) {
            if (m_work.stopped())
                return false;
            const artifact::PlanStep& step = plan.steps[i];
            TraceEvent event;
            event.start_us = milliseconds_since(start) * 1e3;
            if (!m_runner->run_step(i, m_work.sink))
                return false;
            event.duration_us = milliseconds_since(start) * 1e3 - event.start_us;
            describe(step, event);
            m_events.push_back(std::move(event));
            progress.done(i + 1, plan.steps.size());
        }
        m_result.run_ms = milliseconds_since(start);
        m_result.where = m_runner->where();
        return true;
    }

    // On a GPU the run that counts is the one that users repeat: one graph, its kernels loaded.
    bool replay() {
        if (m_package) {
            m_result.is_replayed = m_package->is_on_gpu() && m_request.trace.empty();
            return !m_result.is_replayed || package_steps();
        }
        if (!m_runner->replay())
            return true;
        const auto start = std::chrono::steady_clock::now();
        m_result.is_replayed = m_runner->run_again(m_work.sink);
        m_result.run_ms = milliseconds_since(start);
        return m_result.is_replayed;
    }

    void describe(const artifact::PlanStep& step, TraceEvent& event) const {
        const artifact::LaunchPlan& plan = m_runner->plan();
        event.is_host = is_on_host(step.kind);
        event.name = join(step.kernels, " + ");
        if (!event.is_host)
            event.nodes = step.operators;
        for (const std::vector<artifact::Row>* values : {&step.reads, &step.writes})
            for (const artifact::Row value : *values)
                event.tensors.push_back(plan.values[value].dtype + extents_text(plan, plan.values[value].shape));
    }

    // Timed again: the first run of a kernel loads it.
    bool write_trace() {
        m_events.clear();
        if (!steps())
            return false;
        if (!writes() ||
            write_text(m_request.trace, trace_text(m_result.facts.name, m_result.where, m_events), m_work.sink))
            return true;
        m_work.status = Status::Environment;
        return false;
    }

    bool take(std::size_t i, const lang::Tensor& tensor, const lang::Tensor* recorded) {
        const artifact::LaunchPlan& plan = this->plan();
        ModelOutput out;
        out.tensor = {plan.values[plan.outputs[i]].name, ir::info(tensor.dtype).name, text_of(shape_of(tensor.shape))};
        out.summary = summary_of(tensor);
        if (!m_request.output.empty() && writes()) {
            out.file = cat(m_request.output, "/output_", i, ".npy");
            if (Result<void> written = lang::write_npy(out.file, tensor); !written) {
                report_environment(m_work, m_work.sink, written.error());
                return false;
            }
        }
        if (recorded) {
            out.comparison = compare(out.tensor.name, tensor, *recorded,
                                     {.tolerance = tolerance_for(m_request, *recorded, way_to_output(i))});
            if (const std::string wrong = session::describe(*out.comparison); !wrong.empty())
                m_work.sink.report(DiagId::TensorsDiffer, {}, wrong + bounds_text(*out.comparison));
        }
        m_result.outputs.push_back(std::move(out));
        return true;
    }

    Way way_to_output(std::size_t i) const {
        if (m_stages)
            return way_to(m_stages->compiled(), m_stages->compiled().graph.outputs()[i]);
        return way_to(plan(), plan().outputs[i]);
    }
    static std::string bounds_text(const Comparison& comparison) {
        if (!comparison.refusal.empty() || !comparison.max_absolute)
            return "";
        return cat("; the largest error is ", number_text(*comparison.max_absolute), ", and ",
                   number_text(comparison.absolute), " + ", number_text(comparison.relative),
                   " of the value are tolerated");
    }

    bool compare_operators(const Tensors& inputs) {
        std::vector<ValueId> wanted;
        for (const auto& [value, partner] : comparable_values(m_stages->imported(), m_stages->compiled()))
            wanted.push_back(partner);
        const QuantizeKind* kind = find_quantize_kind(m_request.quantize);
        const auto products = kind ? few_bits_products(m_stages->imported()) : std::vector<FewBitsProduct>();
        for (const FewBitsProduct& each : products)
            wanted.insert(wanted.end(), {each.rows, each.matrix});
        const auto reference = reference_values(m_work, m_request, m_stages->imported(), inputs, wanted);
        if (!reference)
            return false;
        if (kind)
            m_result.few_bits = few_bits_errors(m_stages->imported(), products, *reference, inputs, *kind);
        auto comparison = compare_nodes(m_work, m_request, m_stages->runner(), m_stages->imported(), inputs, *reference,
                                        m_request.results ? m_request.output : std::string());
        if (!comparison)
            return false;
        m_result.nodes = std::move(comparison->rows);
        m_result.nodes_not_compared = comparison->not_compared;
        for (const ModelNodeError& row : m_result.nodes)
            if (row.is_bad) {
                m_work.sink.report(DiagId::TensorsDiffer, {},
                                   cat("operator '", row.node, "' (", row.op, ") is the first that is wrong: off by ",
                                       number_text(row.max_absolute), ", ", number_text(row.relative),
                                       " of the greatest magnitude"));
                break;
            }
        return true;
    }

    Work& m_work;
    const ModelRunRequest& m_request;
    const RunRequest m_run;
    ModelRunResult& m_result;
    ModelStages* m_stages = nullptr;        // null: a package
    std::unique_ptr<ScriptEngine> m_engine; // of a package that processes share: it exchanges for it
    std::unique_ptr<PackageRun> m_package;  // null: a model
    PlanRunner* m_runner = nullptr;         // of the stages
    std::vector<TraceEvent> m_events;
};

} // namespace

ModelRunResult run_model(const ModelRunRequest& request) {
    return answer<ModelRunResult>(request, "run",
                                  [&](Work& work, ModelRunResult& result) { ModelRun(work, request, result).run(); });
}

std::string comparison_text(const ModelRunResult& result) {
    const std::size_t all = result.nodes.size();
    const auto is_bad = [](const ModelNodeError& row) { return row.is_bad; };
    const auto bad = static_cast<std::size_t>(std::ranges::count_if(result.nodes, is_bad));
    std::string out;
    if (all == 0)
        out = "no operator could be compared";
    else if (bad > 0)
        out = cat(bad, " of ", all, all == 1 ? " operator is" : " operators are", " out of tolerance, from ",
                  std::ranges::find_if(result.nodes, is_bad)->node, " on");
    else if (all == 1)
        out = "1 operator is within tolerance";
    else
        out = cat("all ", all, " operators are within tolerance");
    const std::size_t left = result.nodes_not_compared;
    return left == 0 ? out : cat(out, "; ", left, left == 1 ? " has" : " have", " no counterpart in double precision");
}

} // namespace hidet::session
