// SPDX-License-Identifier: Apache-2.0
#include "app/session/tune/measure_candidates.h"

#include <algorithm>

#include "app/session/baselines/baseline.h"
#include "app/session/compare/expectation.h"
#include "app/session/compare/tolerance.h"
#include "app/session/execute/argument_copies.h"
#include "app/session/execute/callables.h"
#include "app/session/execute/gpu_repeat.h"
#include "app/session/execute/parallel.h"
#include "app/session/plan/plan_runner.h"
#include "app/session/tune/factory_arguments.h"
#include "compiler/graph/plan/chunk.h"
#include "compiler/graph/script/factory/factory_call.h"
#include "compiler/tune/alone.h"
#include "lang/tensor/elements.h"
#include "lang/tensor/random.h"
#include "runtime/bench/statistics.h"
#include "runtime/cuda/timing.h"

namespace hidet::session {

using namespace graph;

namespace {

// So many times the weights of a small kernel do not fit into the cache.
constexpr std::size_t launches_in_graph = 64;
constexpr cuda::TimingOptions timing_options{.warm_up_ms = 1, .budget_ms = 5, .fewest_samples = 5, .most_samples = 60};

Tensors random_inputs(const Graph& graph) {
    lang::Random random(0);
    return transformed(graph.inputs, [&](ValueId id) {
        const TensorSpec& spec = graph.value(id).spec;
        return random_tensor(spec.dtype, *constant_shape(spec.shape), random);
    });
}

// By the clock of the host, in turns, so that a machine that slows down slows all.
std::vector<bench::Times> timed_in_turns(const std::vector<Repeat*>& rows, const Work& work, Result<void>& failed) {
    constexpr int rounds = 5;
    constexpr bench::Effort effort{
        .warm_up_seconds = 0.002, .seconds = 0.02, .least = 3, .most = 1000, .give_up_seconds = 3};
    std::vector<std::vector<double>> samples(rows.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto once = [&] {
                if (failed)
                    failed = rows[i]->once();
            };
            const bench::Times times = bench::measure(once, effort, [&] { return work.stopped() || !failed; });
            samples[i].insert(samples[i].end(), times.samples.begin(), times.samples.end());
        }
    return transformed(samples, [](const std::vector<double>& each) { return bench::summarise(each); });
}

// Of two calls that are to agree: neither is nearer to the truth than the coarser one.
Expectation coarser(Expectation a, const Expectation& b) {
    a.sum_length = std::max(a.sum_length, b.sum_length);
    a.rounds_to_tf32 |= b.rounds_to_tf32;
    if (ir::info(b.sum_type).bits < ir::info(a.sum_type).bits)
        a.sum_type = b.sum_type;
    a.widened = 2;
    return a;
}

} // namespace

struct CandidateMeasurer::Step {
    std::unique_ptr<Repeat> repeat;
    std::unique_ptr<ArgumentCopies> copies;
    Starts starts;
};

struct CandidateMeasurer::Candidate {
    std::string name;
    Partition partition;
    Plan plan;
    ir::ModuleRef made; // by a factory, in the place of a plan
    Arguments args;
    std::vector<compiler::ParameterAccess> accesses; // likewise
    Ref<lang::BuiltModule> module;
    std::unique_ptr<PlanRunner> runner;
    std::vector<Step> steps;
    Tensors results;
    Expectation expectation; // likewise
    std::string problem;
};

struct CandidateMeasurer::Bench {
    tune::OperatorsAlone operators;
    const Graph* call = nullptr; // of a factory, in the place of operators
    Tensors inputs;
    std::vector<Candidate> candidates; // the reference first
    bool times_reference = false;      // it is a candidate too
};

CandidateMeasurer::CandidateMeasurer(Work& work, lang::Engine& engine, const TemplateProvider& templates,
                                     const artifact::TargetSpec& target)
    : m_work(work), m_engine(engine), m_templates(templates), m_target(target) {}
CandidateMeasurer::~CandidateMeasurer() = default;

Result<void> CandidateMeasurer::measure(std::vector<tune::Measurement>& measurements,
                                        const std::function<void(tune::Measurement&)>& done) {
    std::vector<std::unique_ptr<Bench>> benches;
    for (const tune::Measurement& measurement : measurements)
        benches.push_back(prepare(measurement));
    plan(benches);
    build(benches);
    for (std::size_t i = 0; i < measurements.size() && !m_work.stopped(); ++i) {
        HIDET_TRY_TO(run(*benches[i]));
        HIDET_TRY_TO(time(*benches[i], measurements[i]));
        if (m_work.stopped()) // perhaps in the middle of it
            return {};
        benches[i].reset();
        done(measurements[i]);
    }
    return {};
}

std::unique_ptr<CandidateMeasurer::Bench> CandidateMeasurer::prepare(const tune::Measurement& measurement) {
    auto bench = std::make_unique<Bench>();
    if (is_factory_call(measurement.graph)) {
        bench->call = &measurement.graph;
    } else {
        bench->operators = tune::alone(measurement.graph, measurement.reference.groups);
        bench->inputs = random_inputs(bench->operators.graph);
    }
    const auto add = [&](const tune::Variant& variant) {
        Candidate& candidate = bench->candidates.emplace_back();
        candidate.name = variant.name;
        if (!bench->call)
            candidate.partition = bench->operators.partition(variant.groups);
    };
    add(measurement.reference);
    for (const tune::Variant& variant : measurement.variants)
        if (variant.name == measurement.reference.name)
            bench->times_reference = true;
        else
            add(variant);
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
        PlanOptions options;
        options.target = m_target;
        options.templates = &m_templates;
        options.threads = 1;
        try {
            if (bench->call)
                candidate->made = module_of(*bench->call, candidate->name);
            else
                candidate->plan = make_plan(bench->operators.graph, candidate->partition, options);
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
                modules.push_back(candidate.made ? candidate.made
                                                 : merged(candidate.plan.programs, 0, candidate.plan.programs.size()));
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
            HIDET_TRY_TO(run(bench, candidate));
    const auto works = [](const Candidate& candidate) { return candidate.problem.empty(); };
    const auto reference = std::ranges::find_if(bench.candidates, works);
    for (auto candidate = reference; candidate != bench.candidates.end(); ++candidate)
        if (candidate != reference && works(*candidate))
            candidate->problem = mistake_in(bench, *candidate, *reference);
    return {};
}

std::string CandidateMeasurer::mistake_in(const Bench& bench, const Candidate& candidate, const Candidate& reference) {
    std::vector<Comparison> comparisons;
    for (std::size_t i = 0; i < reference.results.size(); ++i) {
        const lang::Tensor &got = *candidate.results[i], &wanted = *reference.results[i];
        if (!lang::holds_numbers(wanted.dtype))
            continue;
        if (bench.call) {
            comparisons.push_back(
                compare(reference.args[i].name, got, wanted, coarser(candidate.expectation, reference.expectation)));
            continue;
        }
        const Graph& graph = bench.operators.graph;
        const ValueId output = graph.outputs()[i];
        comparisons.push_back(compare(graph.value(output).name, got, wanted,
                                      {.tolerance = recorded_tolerance(wanted, way_to(graph, output))}));
    }
    const Comparison* wrong = first_wrong(comparisons);
    return wrong ? "wrong: " + describe(*wrong) : "";
}

ir::ModuleRef CandidateMeasurer::module_of(const Graph& call, const std::string& schedule) const {
    const auto made = m_templates.schedule({call, call.topological().front(), m_target}, schedule);
    return made ? made->module : throw OpError("it makes no module");
}

// What is written and never read is poisoned where the reference has it so: nobody may leave out what that writes.
void CandidateMeasurer::take_arguments(const Candidate& reference, Candidate& candidate) {
    const Result<std::vector<FactoryArgument>> wanted = arguments_of(*candidate.made);
    if (!wanted) {
        candidate.problem = wanted.error().message;
        return;
    }
    const std::vector<Callable> callables = callables_of(candidate.made, 1, {}); // what is called first
    const std::vector<compiler::ParameterAccess> assumed(wanted.value().size(), {.read = true, .written = true});
    candidate.accesses = callables.empty() ? assumed : accesses_of(callables.front()).value_or(assumed);
    if (reference.args.empty()) { // it is this one, or does not compile
        candidate.args = random_arguments(wanted.value(), candidate.accesses);
    } else if (arguments_of(*reference.made).value() == wanted.value()) {
        candidate.args = reference.args;
        candidate.accesses = reference.accesses;
    } else {
        candidate.problem = "its parameters are others than those of the schedule that nobody chose";
    }
}

Result<void> CandidateMeasurer::call(const Candidate& reference, Candidate& candidate) {
    take_arguments(reference, candidate);
    if (!candidate.problem.empty())
        return {};
    auto& module = static_cast<Executable&>(*candidate.module);
    const bool is_compiled = !module.executor.emulates() && !module.executor.gpu();
    const Arguments args = copy_of(candidate.args, is_compiled ? guarded_storage : plain_storage);
    poison(args, candidate.accesses);
    const Status status = m_work.status;
    DiagnosticSink sink;
    ReturnValue result;
    const bool is_fine = m_engine.call(*candidate.module, factory_function, args, {}, result, sink);
    m_work.status = status;
    if (is_fine || m_work.stopped()) {
        take_results(candidate, args, is_compiled);
        return {};
    }
    candidate.problem = cat("it failed: ", sink.all().empty() ? "it ended" : sink.all().front().message);
    if (m_target.is_cuda())
        return Error{"device-lost", cat("'", candidate.name, "' failed: ", candidate.problem)};
    return {};
}

void CandidateMeasurer::take_results(Candidate& candidate, const Arguments& args, bool are_guarded) {
    if (const auto write = are_guarded ? write_outside(args) : std::nullopt) {
        candidate.problem = "wrong: " + describe(*write, args[write->argument].name);
        return;
    }
    candidate.results = transformed(args, tensor_in);
    perf::RoofedWork work;
    count_work(static_cast<const Executable&>(*candidate.module), {factory_function, args, {}}, work);
    candidate.expectation = expectation_of(work, candidate.made, args, candidate.accesses);
}

Result<void> CandidateMeasurer::run(const Bench& bench, Candidate& candidate) {
    if (bench.call)
        return call(bench.candidates.front(), candidate);
    auto plan = std::make_shared<artifact::LaunchPlan>(candidate.plan.launch);
    PlanParts parts{plan, candidate.plan.weights,
                    std::vector<Ref<lang::BuiltModule>>(candidate.plan.programs.size(), candidate.module)};
    const PlanRunOptions options{.site = {}, .cancelled = m_work.cancelled, .is_poisoned = true};
    candidate.runner = std::make_unique<PlanRunner>(std::move(parts), m_engine, options);
    const Status status = m_work.status;
    DiagnosticSink sink;
    try {
        candidate.runner->bind(bench.inputs);
        if (!candidate.runner->run(sink)) {
            if (m_work.stopped())
                return {};
            // What a kernel broke on the device stays broken for this process.
            return Error{"device-lost", cat("'", candidate.name, "' failed: ",
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

// With arguments of its own that are not in the cache where the weights of a model would not be.
Result<void> CandidateMeasurer::spread_out(Step& step) {
    GpuRepeat* on_gpu = step.repeat->on_gpu();
    if (!on_gpu)
        return Error{"no-gpu", "kernels can only be measured on a GPU"};
    HIDET_TRY(step.copies, ArgumentCopies::make(on_gpu->gpu(), on_gpu->args(), launches_in_graph));
    step.starts = starts_on(*on_gpu, *step.copies);
    return {};
}

Result<std::vector<CandidateMeasurer::Step>> CandidateMeasurer::steps_of(Candidate& candidate) {
    std::vector<Step> steps;
    if (candidate.made) {
        auto& module = static_cast<Executable&>(*candidate.module);
        steps.emplace_back().repeat = module.executor.prepare(module, {factory_function, candidate.args, {}, {}});
        HIDET_TRY_TO(m_target.is_cuda() ? spread_out(steps.back()) : Result<void>());
        return steps;
    }
    for (std::size_t i = 0; i < candidate.plan.launch.steps.size(); ++i) {
        const auto call = candidate.runner->call_of(static_cast<artifact::Row>(i));
        if (!call) {
            candidate.problem = "a step of it calls nothing";
            return steps;
        }
        auto& module = static_cast<Executable&>(*call->module);
        Step& step = steps.emplace_back();
        step.repeat =
            module.executor.prepare(module, {call->function, call->arguments, {}, candidate.runner->symbols()});
        HIDET_TRY_TO(spread_out(step));
    }
    return steps;
}

Result<void> CandidateMeasurer::time(Bench& bench, tune::Measurement& measurement) {
    std::vector<cuda::Timer::Work> rows;
    std::vector<Candidate*> timed;
    for (Candidate& candidate : bench.candidates) {
        if (!candidate.problem.empty() || (&candidate == &bench.candidates.front() && !bench.times_reference))
            continue;
        HIDET_TRY(candidate.steps, steps_of(candidate));
        if (!candidate.problem.empty())
            continue;
        rows.push_back([&candidate]() -> Result<void> {
            for (std::size_t i = 0; i < launches_in_graph; ++i)
                for (const Step& step : candidate.steps)
                    HIDET_TRY_TO(step.starts[i % step.starts.size()]());
            return {};
        });
        timed.push_back(&candidate);
    }
    measurement.outcomes.assign(measurement.variants.size(), {});
    const auto outcome_of = [&](const Candidate& candidate) -> tune::Measurement::Outcome* {
        const auto way = std::ranges::find(measurement.variants, candidate.name, &tune::Variant::name);
        return way == measurement.variants.end()
                   ? nullptr
                   : &measurement.outcomes[static_cast<std::size_t>(way - measurement.variants.begin())];
    };
    if (!rows.empty() && !m_target.is_cuda()) {
        std::vector<Repeat*> repeats =
            transformed<Repeat*>(timed, [](Candidate* each) { return each->steps.front().repeat.get(); });
        Result<void> failed;
        const std::vector<bench::Times> times = timed_in_turns(repeats, m_work, failed);
        if (!failed)
            return failed;
        for (std::size_t i = 0; i < timed.size() && !m_work.stopped(); ++i) {
            outcome_of(*timed[i])->seconds = times[i].median;
            outcome_of(*timed[i])->spread = times[i].spread();
        }
    } else if (!rows.empty()) {
        const auto stream = timed.front()->steps.front().repeat->on_gpu()->gpu().backend.stream();
        HIDET_TRY(std::unique_ptr<cuda::Timer> timer, cuda::Timer::create(stream, timing_options));
        HIDET_TRY(const std::vector<cuda::RowTiming> timings, timer->compare_rows(rows, launches_in_graph));
        for (std::size_t i = 0; i < timed.size(); ++i) {
            outcome_of(*timed[i])->seconds = timings[i].each.median_us * 1e-6;
            outcome_of(*timed[i])->spread = timings[i].each.spread();
        }
    }
    for (const Candidate& candidate : bench.candidates)
        if (tune::Measurement::Outcome* outcome = outcome_of(candidate))
            outcome->problem = candidate.problem;
    return {};
}

} // namespace hidet::session
