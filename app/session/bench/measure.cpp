// SPDX-License-Identifier: Apache-2.0
#include "app/session/bench/measure.h"

#include <cmath>

#include "app/session/compare/expectation.h"
#include "app/session/execute/argument_copies.h"
#include "app/session/execute/gpu_repeat.h"
#include "runtime/bench/statistics.h"
#include "runtime/cuda/timing.h"

namespace hidet::session {

namespace {

// On a processor where code and data happen to lie makes up to a hundredth and a half, between two runs of one program as well.
constexpr double least_on_host = 0.02;

// The part of bench that the clock of the host cannot measure.

TimesView view_of(const cuda::Distribution& times) {
    TimesView out{times.median_us * 1e-6, times.p10_us * 1e-6, times.p90_us * 1e-6, times.samples, times.spread(), {}};
    for (double each : times.each_us)
        out.samples.push_back(each * 1e-6);
    return out;
}

std::string state_text(const cuda::DeviceState& state) {
    std::vector<std::string> parts;
    if (state.sm_clock_mhz)
        parts.push_back(cat(*state.sm_clock_mhz, " MHz"));
    if (state.power_watts)
        parts.push_back(cat(static_cast<int>(*state.power_watts + 0.5), " W"));
    if (state.temperature_celsius)
        parts.push_back(cat(*state.temperature_celsius, " C"));
    return parts.empty() ? "not known" : join(parts, ", ");
}

void add_notes(const cuda::Timing& timing, BenchRow& row) {
    row.notes.push_back(cat("device before: ", state_text(timing.before), "; after: ", state_text(timing.after)));
    if (!timing.clocks.slowed_by.empty())
        row.notes.push_back("slowed down by: " + join(timing.clocks.slowed_by, ", "));
    if (timing.clocks.highest_mhz > 0)
        row.clocks = timing.clocks;
    if (!timing.note.empty())
        row.notes.push_back(timing.note);
}

// Fills the row's times, peaks and notes; the baseline, if there is one, takes turns with the call.
Result<void> measure_on_gpu(GpuRepeat& mine, Baseline* baseline, BenchRow& row) {
    const std::shared_ptr<cuda::Stream>& stream = mine.gpu().backend.stream();
    HIDET_TRY(std::unique_ptr<cuda::Timer> timer, cuda::Timer::create(stream));
    std::vector<cuda::Timer::Work> variants = {[&] { return mine.start(); }};
    if (baseline)
        variants.push_back([&] { return baseline->start(); });
    HIDET_TRY(std::vector<cuda::Timing> timings, timer->compare(variants));
    row.times = view_of(timings[0].cold);
    row.hot = view_of(timings[0].hot);
    if (baseline) {
        row.baseline_times = view_of(timings[1].cold);
        row.baseline_hot = view_of(timings[1].hot);
        row.baseline_difference = baseline->difference();
    }
    add_roofs(stream->context().device().spec, row);
    add_notes(timings[0], row);
    return {};
}

cuda::Timer::Work row_of(const Starts& starts, int launches) {
    return [&starts, launches]() -> Result<void> {
        for (int i = 0; i < launches; ++i)
            if (Result<void> started = starts[static_cast<std::size_t>(i) % starts.size()](); !started)
                return started;
        return {};
    };
}

InARow described_row(const ArgumentCopies& copies, int launches) {
    InARow out;
    out.launches = launches;
    out.copies = static_cast<int>(copies.count());
    out.copied = copies.names(true);
    out.shared = copies.names(false);
    out.bytes = static_cast<double>(copies.bytes_each()) * static_cast<double>(copies.count());
    out.leave_cache = copies.leave_cache();
    return out;
}

// A call as a model makes it: launches that follow each other, each with weights that are not in the cache. What is measured
// call by call is the latency of one; kernels that are launched before their predecessors have ended show their gain only
// here. Fills the row's `in_a_row`; the baseline, if there is one, does as many on the same copies, replay by replay in turns.
Result<void> measure_in_a_row(GpuRepeat& mine, Baseline* baseline, int launches, BenchRow& row) {
    HIDET_TRY(std::unique_ptr<ArgumentCopies> copies, ArgumentCopies::make(mine.gpu(), mine.args(), launches));
    const Starts own = starts_on(mine, *copies);
    std::vector<cuda::Timer::Work> rows = {row_of(own, launches)};
    Result<Starts> theirs = baseline ? baseline->on_copies(*copies, launches) : Result<Starts>(Starts{});
    if (!theirs && theirs.error().code != "baseline-does-not-fit")
        return theirs.error();
    if (!theirs)
        row.notes.push_back("not measured in a row: " + theirs.error().message);
    else if (baseline)
        rows.push_back(row_of(theirs.value(), launches));
    HIDET_TRY(std::unique_ptr<cuda::Timer> timer, cuda::Timer::create(mine.gpu().backend.stream()));
    HIDET_TRY(std::vector<cuda::RowTiming> timings, timer->compare_rows(rows, launches));
    row.in_a_row = described_row(*copies, launches);
    row.in_a_row->is_graph = timings[0].each.in_graph;
    row.in_a_row->times = view_of(timings[0].each);
    if (timings.size() > 1)
        row.in_a_row->baseline_times = view_of(timings[1].each);
    for (const cuda::RowTiming& timing : timings)
        if (!timing.note.empty())
            row.notes.push_back("in a row: " + timing.note);
    return {};
}

} // namespace

std::string shapes_of(const std::vector<lang::CallArgument>& args) {
    std::vector<std::string> out;
    for (const lang::CallArgument& arg : args) {
        const auto* tensor = std::get_if<lang::TensorRef>(&arg.value);
        if (!tensor || !*tensor)
            continue;
        std::vector<std::string> extents;
        for (std::int64_t extent : (*tensor)->shape)
            extents.push_back(cat(extent));
        out.push_back(cat(ir::info((*tensor)->dtype).short_name, "[", join(extents, ", "), "]"));
    }
    return join(out, ", ");
}

std::optional<SpeedVerdict> speed_of(const BenchRow& row) {
    const std::optional<bench::Ratio> ratio = row.to_baseline();
    if (!ratio)
        return std::nullopt;
    if (row.verdict && row.verdict->kind == VerdictKind::Wrong)
        return SpeedVerdict{"wrong", ""};
    if (row.verdict && row.verdict->kind != VerdictKind::Correct && row.verdict->kind != VerdictKind::Unchecked)
        return SpeedVerdict{"invalid", ""};
    const bench::Clocks clocks = row.clocks.value_or(bench::Clocks{});
    if (const std::string why = bench::slowdown_text(clocks); !why.empty())
        return SpeedVerdict{"invalid", why};
    const bool is_little = !row.hot && std::abs(ratio->median - 1) < least_on_host;
    const bench::Speed speed = is_little ? bench::Speed::NoDifference : bench::speed_of(*ratio);
    if (const std::string why = bench::change_text(clocks); !why.empty() && speed != bench::Speed::NoDifference)
        return SpeedVerdict{bench::speed_name(bench::Speed::NoDifference), why};
    return SpeedVerdict{bench::speed_name(speed), ""};
}

std::string where_measured(const std::string& where, bool is_emulated) {
    return is_emulated ? "the emulator (not GPU time)" : where;
}

Roofline roofline_of(const BenchRow& row) {
    return perf::roofline_of(row, cat(row.function, "(", row.shapes, ")"), row.times.median);
}

BenchRow Measurer::described(const ScriptEngine::KeptCall& call) {
    BenchRow row;
    row.function = call.function;
    row.shapes = shapes_of(call.args);
    row.where = call.module->executor.name();
    row.is_emulated = call.module->executor.emulates();
    row.site = place_of(call.site, m_work.sources);
    count_work(*call.module, {call.function, call.args, call.site, call.symbols}, row);
    return row;
}

Result<void> Measurer::measure(Repeat& mine, Baseline* baseline, BenchRow& row) {
    Result<void> measured =
        mine.on_gpu() ? measure_on_gpu(*mine.on_gpu(), baseline, row) : measure_here(mine, baseline, row);
    if (measured)
        place_under_roof(row.times.median, row);
    return measured;
}

Result<void> Measurer::measure_row(Repeat& mine, Baseline* baseline, int launches, BenchRow& row) {
    if (GpuRepeat* gpu = mine.on_gpu())
        return measure_in_a_row(*gpu, baseline, launches, row);
    row.notes.push_back("not measured in a row: it does not run on a GPU");
    return {};
}

Result<void> Measurer::measure_here(Repeat& mine, Baseline* baseline, BenchRow& row) {
    std::optional<Error> failure;
    auto keep = [&](const Result<void>& result) {
        if (!result && !failure)
            failure = result.error();
    };
    auto stop = [&] { return m_work.stopped() || failure; };
    auto once = [&] { keep(mine.once()); };
    if (baseline) {
        auto baselines_turn = [&] { keep(baseline->once()); };
        bench::Pair pair = bench::measure_in_turns(once, baselines_turn, {}, stop);
        row.times = view_of(pair.first);
        row.baseline_times = view_of(pair.second);
        row.baseline_difference = baseline->difference();
    } else {
        row.times = view_of(bench::measure(once, {}, stop));
    }
    if (failure)
        return *failure;
    if (!row.is_emulated)
        add_cpu_limits(row);
    return {};
}

void Measurer::add_cpu_limits(BenchRow& row) {
    if (!m_cpu) {
        m_work.enter("measuring what this machine can do");
        package::ThreadPool pool;
        m_cpu = bench::measured_cpu(pool);
    }
    add_roofs(*m_cpu, row);
}

} // namespace hidet::session
