// SPDX-License-Identifier: Apache-2.0
#include "app/session/tune/measure_candidates.h"

#include <algorithm>
#include <cmath>

#include "app/session/baselines/baseline.h"
#include "app/session/execute/argument_copies.h"
#include "app/session/execute/gpu_repeat.h"
#include "app/session/execute/parallel.h"
#include "app/session/plan/plan_runner.h"
#include "compiler/graph/plan/chunk.h"
#include "compiler/tune/alone.h"
#include "lang/tensor/elements.h"
#include "lang/tensor/random.h"
#include "runtime/cuda/timing.h"

namespace hidet::session {

using namespace graph;

namespace {

// So many times the weights of a small kernel do not fit into the cache.
constexpr int launches_in_graph = 64;
constexpr cuda::TimingOptions timing_options{.warm_up_ms = 1, .budget_ms = 5, .fewest_samples = 5, .most_samples = 60};
// What results of different orders of summing may differ by, of the largest.
constexpr double close_of_halves = 2e-2, close_of_floats = 1e-3;

Tensors random_inputs(const Graph& graph) {
    lang::Random random(0);
    Tensors inputs;
    for (const ValueId id : graph.inputs) {
        const TensorSpec& spec = graph.value(id).spec;
        const std::vector<std::int64_t> shape = *constant_shape(spec.shape);
        lang::TensorRef tensor(new lang::Tensor());
        tensor->dtype = spec.dtype;
        tensor->shape = shape;
        tensor->storage = std::make_shared<lang::Storage>(
            static_cast<std::size_t>(std::max<std::int64_t>(tensor->count() * item_bytes(spec.dtype), 1)));
        if (lang::holds_numbers(spec.dtype) && ir::is_float(spec.dtype)) {
            lang::Doubles numbers(static_cast<std::size_t>(tensor->count()));
            for (double& number : numbers)
                number = random.normal();
            lang::write_doubles(*tensor, numbers);
        }
        inputs.push_back(std::move(tensor)); // integers are zeros, which lie inside of whatever they index
    }
    return inputs;
}

// Nothing: they are close. Else what is wrong.
std::string difference_of(const Tensors& results, const Tensors& expected) {
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!lang::holds_numbers(results[i]->dtype))
            continue;
        const lang::Doubles mine = lang::read_doubles(*results[i]), theirs = lang::read_doubles(*expected[i]);
        double largest = 0, off = 0;
        for (std::size_t j = 0; j < mine.size(); ++j) {
            const bool is_same = mine[j] == theirs[j] || (std::isnan(mine[j]) && std::isnan(theirs[j]));
            largest = std::max(largest, std::isfinite(theirs[j]) ? std::abs(theirs[j]) : 0);
            off = is_same
                      ? off
                      : std::max(off, std::isfinite(mine[j] - theirs[j]) ? std::abs(mine[j] - theirs[j]) : INFINITY);
        }
        const bool is_half = ir::info(results[i]->dtype).bits < 32;
        if (!(off <= (is_half ? close_of_halves : close_of_floats) * largest))
            return cat("its results are wrong: they differ by ", off, " of ", largest);
    }
    return "";
}

} // namespace

struct CandidateMeasurer::Candidate {
    std::string schedule;
    Plan plan;
    Ref<lang::BuiltModule> module;
    std::unique_ptr<PlanRunner> runner;
    std::unique_ptr<Repeat> repeat;
    std::unique_ptr<ArgumentCopies> copies;
    Starts starts;
    Tensors results;
    std::string problem;
};

struct CandidateMeasurer::Bench {
    tune::GroupAlone group;
    Tensors inputs;
    std::vector<Candidate> candidates; // the reference first
    bool times_reference = false;      // it is a candidate too
};

CandidateMeasurer::CandidateMeasurer(Work& work, lang::Engine& engine, const TemplateProvider& templates,
                                     const artifact::TargetSpec& target)
    : m_work(work), m_engine(engine), m_templates(templates), m_target(target) {}
CandidateMeasurer::~CandidateMeasurer() = default;

Result<void> CandidateMeasurer::measure(std::vector<tune::Trial>& trials,
                                        const std::function<void(tune::Trial&)>& done) {
    std::vector<std::unique_ptr<Bench>> benches;
    for (const tune::Trial& trial : trials)
        benches.push_back(prepare(trial));
    plan(benches);
    build(benches);
    for (std::size_t i = 0; i < trials.size() && !m_work.stopped(); ++i) {
        if (Result<void> ran = run(*benches[i]); !ran)
            return ran;
        if (Result<void> timed = time(*benches[i], trials[i]); !timed)
            return timed;
        benches[i].reset();
        done(trials[i]);
    }
    return {};
}

std::unique_ptr<CandidateMeasurer::Bench> CandidateMeasurer::prepare(const tune::Trial& trial) {
    auto bench = std::make_unique<Bench>();
    bench->group = tune::alone(trial.graph, trial.group);
    bench->inputs = random_inputs(bench->group.graph);
    bench->times_reference = std::ranges::find(trial.schedules, trial.reference) != trial.schedules.end();
    bench->candidates.emplace_back().schedule = trial.reference;
    for (const std::string& schedule : trial.schedules)
        if (schedule != trial.reference)
            bench->candidates.emplace_back().schedule = schedule;
    return bench;
}

// On all threads, if the templates let them: templates are evaluated, groups lowered, weights packed.
void CandidateMeasurer::plan(std::vector<std::unique_ptr<Bench>>& benches) {
    std::vector<std::pair<Bench*, Candidate*>> all;
    for (const auto& bench : benches)
        for (Candidate& candidate : bench->candidates)
            all.emplace_back(bench.get(), &candidate);
    const auto plan_one = [&](std::size_t i) {
        auto& [bench, candidate] = all[i];
        Partition partition = bench->group.partition;
        partition.groups.front().schedule = candidate->schedule;
        PlanOptions options;
        options.target = m_target;
        options.templates = &m_templates;
        options.threads = 1;
        try {
            candidate->plan = make_plan(bench->group.graph, partition, options);
        } catch (const OpError& error) {
            candidate->problem = error.what();
        } catch (const RuleFailed& error) {
            candidate->problem = error.what();
        } catch (const DiagnosticError& error) {
            candidate->problem = error.diagnostic.message;
        }
    };
    if (!m_templates.takes_any_thread()) {
        for (std::size_t i = 0; i < all.size(); ++i)
            plan_one(i);
        return;
    }
    DiagnosticSink sink;
    in_parallel(m_work, sink, all.size(), [&](std::size_t i, Work&) { plan_one(i); }, {});
}

// Each program is a module of its own, so that one that does not compile takes no other with it.
void CandidateMeasurer::build(std::vector<std::unique_ptr<Bench>>& benches) {
    std::vector<ir::ModuleRef> modules;
    std::vector<Candidate*> owners;
    for (const auto& bench : benches)
        for (Candidate& candidate : bench->candidates)
            if (candidate.problem.empty()) {
                modules.push_back(merged(candidate.plan.programs, 0, candidate.plan.programs.size()));
                owners.push_back(&candidate);
            }
    const Status status = m_work.status;
    DiagnosticSink sink;
    const auto built = m_engine.build_all(modules, {}, sink, [](std::size_t) {});
    m_work.status = status;
    for (std::size_t i = 0; i < built.size(); ++i) {
        owners[i]->module = built[i];
        if (!built[i])
            owners[i]->problem = "it does not compile";
    }
}

Result<void> CandidateMeasurer::run(Bench& bench) {
    for (Candidate& candidate : bench.candidates)
        if (candidate.problem.empty())
            if (Result<void> ran = run(bench, candidate); !ran)
                return ran;
    const Candidate& reference = bench.candidates.front();
    for (Candidate& candidate : bench.candidates)
        if (candidate.problem.empty() && reference.problem.empty())
            candidate.problem = difference_of(candidate.results, reference.results);
    return {};
}

Result<void> CandidateMeasurer::run(const Bench& bench, Candidate& candidate) {
    auto plan = std::make_shared<artifact::LaunchPlan>(candidate.plan.launch);
    PlanParts parts{plan, candidate.plan.weights,
                    std::vector<Ref<lang::BuiltModule>>(candidate.plan.programs.size(), candidate.module)};
    candidate.runner = std::make_unique<PlanRunner>(std::move(parts), m_engine, PlanRunOptions{{}, m_work.cancelled});
    const Status status = m_work.status;
    DiagnosticSink sink;
    try {
        candidate.runner->bind(bench.inputs);
        if (!candidate.runner->run(sink)) {
            if (m_work.stopped())
                return {};
            // What a kernel broke on the device stays broken for this process.
            return Error{"device-lost", cat("'", candidate.schedule, "' failed: ",
                                            sink.all().empty() ? "it ended" : sink.all().front().message)};
        }
        for (const lang::TensorRef& output : candidate.runner->outputs())
            candidate.results.push_back(output);
    } catch (const OpError& error) {
        candidate.problem = error.what();
    }
    m_work.status = status;
    return {};
}

Result<void> CandidateMeasurer::time(Bench& bench, tune::Trial& trial) {
    std::vector<cuda::Timer::Work> rows;
    std::vector<Candidate*> timed;
    std::shared_ptr<cuda::Stream> stream;
    for (Candidate& candidate : bench.candidates) {
        if (!candidate.problem.empty() || (&candidate == &bench.candidates.front() && !bench.times_reference))
            continue;
        const auto call = candidate.runner->call_of(0);
        if (!call || candidate.plan.launch.steps.size() != 1) {
            candidate.problem = "it is not one step of a plan";
            continue;
        }
        auto& module = static_cast<Executable&>(*call->module);
        candidate.repeat =
            module.executor.prepare(module, {call->function, call->arguments, {}, candidate.runner->symbols()});
        GpuRepeat* on_gpu = candidate.repeat->on_gpu();
        if (!on_gpu)
            return Error{"no-gpu", "kernels can only be measured on a GPU"};
        stream = on_gpu->gpu().backend.stream();
        HIDET_TRY(candidate.copies, ArgumentCopies::make(on_gpu->gpu(), on_gpu->args(), launches_in_graph));
        candidate.starts = starts_on(*on_gpu, *candidate.copies);
        rows.push_back([&candidate]() -> Result<void> {
            for (int i = 0; i < launches_in_graph; ++i)
                if (Result<void> started = candidate.starts[static_cast<std::size_t>(i) % candidate.starts.size()]();
                    !started)
                    return started;
            return {};
        });
        timed.push_back(&candidate);
    }
    trial.outcomes.assign(trial.schedules.size(), {});
    if (!rows.empty()) {
        HIDET_TRY(std::unique_ptr<cuda::Timer> timer, cuda::Timer::create(stream, timing_options));
        HIDET_TRY(const std::vector<cuda::RowTiming> timings, timer->compare_rows(rows, launches_in_graph));
        for (std::size_t i = 0; i < timed.size(); ++i) {
            tune::Trial::Outcome& outcome = trial.outcomes[static_cast<std::size_t>(
                std::ranges::find(trial.schedules, timed[i]->schedule) - trial.schedules.begin())];
            outcome.seconds = timings[i].each.median_us * 1e-6;
            outcome.spread = timings[i].each.spread();
        }
    }
    for (const Candidate& candidate : bench.candidates)
        if (const auto row = std::ranges::find(trial.schedules, candidate.schedule); row != trial.schedules.end())
            trial.outcomes[static_cast<std::size_t>(row - trial.schedules.begin())].problem = candidate.problem;
    return {};
}

} // namespace hidet::session
