// SPDX-License-Identifier: Apache-2.0
#include "app/session/bench/bench.h"

#include <algorithm>
#include <chrono>
#include <functional>

#include "app/session/execute/gpu_repeat.h"
#include "app/session/model/inputs.h"
#include "app/session/model/measured.h"
#include "app/session/model/predictor.h"
#include "app/session/model/processes.h"
#include "app/session/model/view/graph_index.h"
#include "app/session/plan/replay.h"
#include "app/session/work/refusal.h"
#include "compiler/graph/document/costs.h"
#include "compiler/graph/names/keys.h"
#include "compiler/perf/launch_time.h"
#include "runtime/bench/statistics.h"
#include "runtime/cuda/timing.h"

namespace hidet::session {

using namespace graph;

namespace {

class ModelBench {
public:
    ModelBench(Work& work, const ModelRunRequest& request, ModelStages& stages, ModelBenchResult& result)
        : m_work(work), m_request(request), m_result(result), m_stages(stages), m_keys(stages.compiled().graph) {}

    bool run() {
        const auto inputs = model_inputs(m_work, m_request, m_stages.compiled().plan.launch);
        return inputs && m_stages.guarded_by_model([&] {
            PlanRunner& runner = m_stages.runner().plan_runner();
            m_work.enter("running the model");
            runner.bind(*inputs);
            return runner.run(m_work.sink) && measure(runner) && add_limits();
        });
    }

private:
    bool measure(PlanRunner& runner) {
        m_work.enter("measuring the model");
        m_stages.begin_measuring();
        m_result.where = runner.where();
        m_result.is_emulated = runner.is_emulated();
        StepProgress(m_request, "measuring the whole run").done(0, 0);
        if (m_request.processes > 1)
            return measure_shared(runner);
        if (Replay* replay = runner.replay())
            return measure_replay(*replay) && measure_launches(*replay, runner);
        bool fine = true;
        const auto once = [&] { fine = fine && runner.run(m_work.sink); };
        m_result.times = view_of(bench::measure(once, {}, [&] { return !fine || m_work.stopped(); }));
        return fine && !m_work.stopped() && measure_steps(runner);
    }

    // All processes run it equally often, as they meet within each run. What took the slowest of them as long as it took counts.
    bool measure_shared(PlanRunner& runner) {
        constexpr std::size_t warm_up = 3, fewest = 5, most = 200;
        constexpr double budget = 1; // seconds
        Replay* const replay = runner.replay();
        m_result.is_replayed = replay != nullptr;
        const auto once = [&]() -> Result<void> {
            if (!replay)
                return runner.run(m_work.sink) ? Result<void>{} : Error{"cancelled", ""};
            const Result<void> started = replay->start();
            return started ? replay->wait() : started;
        };
        std::vector<double> estimate = {0}, seconds;
        if (!timed(once, warm_up, seconds))
            return false;
        estimate[0] = seconds.back();
        if (!slowest(estimate))
            return false;
        const auto runs =
            static_cast<std::size_t>(std::clamp(budget / std::max(estimate[0], 1e-6), double{fewest}, double{most}));
        if (!timed(once, runs, seconds) || !slowest(seconds))
            return false;
        m_result.times = view_of(bench::summarise(std::move(seconds)));
        const bool is_measured =
            replay ? measure_host(*replay) && measure_launches(*replay, runner) && measure_exchanges(runner)
                   : measure_steps(runner);
        return is_measured && take_slowest_steps();
    }
    bool timed(const std::function<Result<void>()>& once, std::size_t runs, std::vector<double>& seconds) {
        seconds.clear();
        for (std::size_t i = 0; i < runs && !m_work.stopped(); ++i) {
            const auto begin = std::chrono::steady_clock::now();
            if (Result<void> done = once(); !done)
                return done.error().code != "cancelled" && refused(done.error());
            seconds.push_back(milliseconds_since(begin) * 1e-3);
        }
        return !m_work.stopped();
    }
    bool slowest(std::vector<double>& seconds) {
        const Result<void> taken = take_slowest(m_stages.engine(), seconds);
        return taken || refused(taken.error());
    }
    // What a replayed run exchanges, for itself and waited for.
    bool measure_exchanges(PlanRunner& runner) {
        constexpr std::size_t runs = 20;
        for (std::uint32_t step = 0; step < runner.plan().steps.size(); ++step) {
            if (!runner.exchange_of(step))
                continue;
            const auto once = [&]() -> Result<void> {
                return runner.run_step(step, m_work.sink) ? runner.replay()->wait() : Error{"cancelled", ""};
            };
            std::vector<double> seconds;
            if (!timed(once, runs, seconds))
                return false;
            const bench::Times times = bench::summarise(std::move(seconds));
            add_row(runner, step, {times.median, times.spread(), 0, times.median});
        }
        std::ranges::stable_sort(m_result.steps, {}, &ModelStepRow::step);
        double start = 0;
        for (ModelStepRow& row : m_result.steps)
            start = (row.start_seconds = start) + row.seconds;
        return true;
    }
    bool take_slowest_steps() {
        std::vector<double> seconds;
        for (const ModelStepRow& row : m_result.steps)
            seconds.push_back(row.seconds);
        if (!slowest(seconds))
            return false;
        for (std::size_t i = 0; i < seconds.size(); ++i)
            m_result.steps[i].seconds = seconds[i];
        return true;
    }

    bool measure_replay(Replay& replay) {
        auto timer = cuda::Timer::create(replay.shared_stream());
        if (!timer)
            return refused(timer.error());
        // Timed run after run: a model is not called with a cold cache on purpose.
        Result<cuda::Timing> timing = std::move(timer).value()->measure([&] { return replay.start(); });
        if (!timing)
            return refused(timing.error());
        const cuda::Distribution& hot = timing.value().hot;
        m_result.times = {hot.median_us * 1e-6, hot.p10_us * 1e-6, hot.p90_us * 1e-6, hot.samples, hot.spread(), {}};
        for (const double each : hot.each_us)
            m_result.times.samples.push_back(each * 1e-6);
        m_result.is_replayed = true;
        return measure_host(replay);
    }
    // What a run costs the host: it starts the graph, and need not wait.
    bool measure_host(Replay& replay) {
        constexpr int rounds = 15, runs = 20;
        std::vector<double> times;
        for (int round = 0; round < rounds; ++round) {
            const auto begin = std::chrono::steady_clock::now();
            for (int i = 0; i < runs; ++i)
                if (Result<void> started = replay.start(); !started)
                    return refused(started.error());
            times.push_back(milliseconds_since(begin) * 1e3 / runs);
            if (Result<void> waited = replay.wait(); !waited)
                return refused(waited.error());
        }
        m_result.host_us = bench::summarise(std::move(times)).median;
        return true;
    }
    bool refused(const Error& error) {
        report_environment(m_work, m_work.sink, error);
        return false;
    }

    // Each launch for itself, by the clock of the GPU.
    bool measure_launches(Replay& replay, PlanRunner& runner) {
        auto timer = cuda::Timer::create(replay.shared_stream(),
                                         {.warm_up_ms = 1, .budget_ms = 5, .fewest_samples = 5, .most_samples = 50});
        if (!timer)
            return refused(timer.error());
        const auto measuring = std::move(timer).value();
        const StepProgress progress(m_request, "measuring each kernel");
        double start = 0;
        for (const Replay::Call& call : replay.calls()) {
            if (m_work.stopped())
                return false;
            Result<cuda::Timing> timing = measuring->measure([&] { return call.repeat->on_gpu()->start(); });
            if (!timing)
                return refused(timing.error());
            const cuda::Distribution& hot = timing.value().hot;
            const double seconds = hot.median_us * 1e-6;
            add_row(runner, call.step, {seconds, hot.spread(), start, seconds});
            start += seconds;
            progress.done(m_result.steps.size(), replay.calls().size());
        }
        return true;
    }

    // Each step by the clock of the host, over a few runs.
    bool measure_steps(PlanRunner& runner) {
        constexpr std::size_t rounds = 7;
        const std::size_t steps = runner.plan().steps.size();
        std::vector<std::vector<double>> seconds(steps), starts(steps);
        std::vector<std::pair<double, std::size_t>> whole;
        const StepProgress progress(m_request, "measuring each step");
        for (std::size_t round = 0; round < rounds; ++round) {
            const auto begin = std::chrono::steady_clock::now();
            for (std::uint32_t i = 0; i < steps; ++i) {
                if (m_work.stopped())
                    return false;
                starts[i].push_back(milliseconds_since(begin) * 1e-3);
                if (!runner.run_step(i, m_work.sink))
                    return false;
                seconds[i].push_back(milliseconds_since(begin) * 1e-3 - starts[i].back());
                progress.done(round * steps + i + 1, rounds * steps);
            }
            whole.emplace_back(milliseconds_since(begin), round);
        }
        std::ranges::sort(whole);
        const std::size_t usual = whole[rounds / 2].second;
        for (std::uint32_t i = 0; i < steps; ++i) {
            const double in_run = seconds[i][usual];
            const bench::Times times = bench::summarise(std::move(seconds[i]));
            add_row(runner, i, {times.median, times.spread(), starts[i][usual], in_run});
        }
        return true;
    }

    struct StepTimes {
        double median = 0, spread = 0;
        double start = 0, in_run = 0; // of one run
    };
    void add_row(PlanRunner& runner, std::uint32_t number, const StepTimes& times) {
        const Graph& graph = m_stages.compiled().graph;
        const Plan& plan = m_stages.compiled().plan;
        const artifact::PlanStep& step = plan.launch.steps[number];
        const Group& group = m_stages.compiled().partition.groups[plan.sources[number].group];
        ModelStepRow row;
        row.step = number;
        row.group = m_keys.of(group.anchor);
        row.node_ids = indices_of(group.nodes);
        row.seconds = times.median;
        row.spread = times.spread;
        row.start_seconds = times.start;
        row.run_seconds = times.in_run;
        row.launches = plan.is_host(number) ? 0 : step.kernels.size();
        row.is_host = plan.is_host(number);
        row.kernel = join(step.kernels, " + ");
        row.nodes = step.operators;
        const NodeCost cost = cost_of(graph, group);
        row.flops = number_of(cost.flops, runner.symbols());
        row.bytes = number_of(cost.bytes, runner.symbols());
        row.constant_bytes = number_of(cost.constant_bytes, runner.symbols());
        m_result.flops += row.flops;
        m_result.bytes += row.bytes;
        m_result.steps.push_back(std::move(row));
    }

    // The emulator has no limits to speak of.
    bool add_limits() {
        if (!m_stages.target().is_cuda()) {
            m_work.enter("measuring what this machine can do");
            m_result.roofs = measured_cpu_roofs();
        } else if (m_stages.engine().gpu()) {
            m_result.roofs = perf::roofs_of(m_stages.target());
        }
        if (m_result.roofs.flops <= 0)
            return !m_work.stopped();
        m_result.roofs.launch_seconds = perf::least_launch_seconds(m_stages.target());
        const DeviceRoofs& roofs = m_result.roofs;
        const graph::CompiledGraph& compiled = m_stages.compiled();
        double constants = 0;
        for (const ModelStepRow& row : m_result.steps)
            constants += row.constant_bytes;
        // From one run to the next all weights are read; what a step has made is read soon after.
        const double kept = perf::cached_share(roofs, constants);
        for (ModelStepRow& row : m_result.steps) {
            const Group& group = compiled.partition.groups[compiled.plan.sources[row.step].group];
            perf::Need need{row.flops, row.bytes, row.launches, factors_of(compiled.graph, group.nodes),
                            row.constant_bytes * kept + std::min(row.bytes - row.constant_bytes, roofs.cache_bytes)};
            const perf::LeastTime in_run = least_time(roofs, need);
            row.least_in_run = in_run.seconds;
            row.bound = bound_name(in_run.bound);
            // A GPU repeats each step by itself, which finds in the cache what has room there.
            if (m_stages.target().is_cuda())
                need.cached = std::min(row.bytes, roofs.cache_bytes);
            row.least_seconds = least_time(roofs, need).seconds;
        }
        return !m_work.stopped();
    }

    Work& m_work;
    const ModelRunRequest& m_request;
    ModelBenchResult& m_result;
    ModelStages& m_stages;
    const NodeKeys m_keys;
};

} // namespace

bool measure_built(Work& work, const ModelRunRequest& request, ModelStages& stages, ModelBenchResult& result) {
    return ModelBench(work, request, stages, result).run();
}

ModelBenchResult bench_model(const ModelRunRequest& request) {
    return answer<ModelBenchResult>(request, "bench", [&](Work& work, ModelBenchResult& result) {
        ModelStages stages(work, request);
        if (!stages.all())
            return;
        result.facts = stages.facts();
        measure_built(work, request, stages, result);
    });
}

} // namespace hidet::session
