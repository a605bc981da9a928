// SPDX-License-Identifier: Apache-2.0
#include "app/session/bench/measure.h"

#include "app/session/compare/expectation.h"
#include "app/session/execute/argument_copies.h"
#include "app/session/execute/gpu_repeat.h"
#include "runtime/bench/statistics.h"
#include "runtime/cuda/timing.h"

namespace hidet::session {

namespace {

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

void add(cuda::Distribution& all, const cuda::Distribution& more) {
    std::vector<double> each = std::move(all.each_us);
    each.insert(each.end(), more.each_us.begin(), more.each_us.end());
    all = cuda::distribution_of(std::move(each));
    all.launches = more.launches;
    all.in_graph = more.in_graph;
}

void add(cuda::Timing& all, const cuda::Timing& more) {
    add(all.cold, more.cold);
    add(all.hot, more.hot);
    all.after = more.after;
    for (const int mhz : {more.clocks.lowest_mhz, more.clocks.highest_mhz})
        bench::add(all.clocks, mhz, more.clocks.slowed_by);
}

// What takes turns, one place of memory after the other.
using Turns = std::function<Result<void>(Repeat& mine, Baseline& baseline)>;
Result<void> in_places(Repeat& mine, Baseline& baseline, const MemoryPlaces& places, const Turns& turns) {
    HIDET_TRY_TO(turns(mine, baseline));
    std::vector<Sides> made; // all live to the end, so that none gets the pages of another
    for (int place = 1; place < places.count; ++place) {
        HIDET_TRY(Sides sides, places.anew());
        HIDET_TRY_TO(turns(*sides.mine, *sides.baseline));
        made.push_back(std::move(sides));
    }
    return {};
}

Result<std::vector<cuda::Timing>> compare_on_gpu(GpuRepeat& mine, Baseline& baseline, const MemoryPlaces& places) {
    const cuda::TimingOptions whole;
    cuda::TimingOptions each = whole;
    each.warm_up_ms = whole.warm_up_ms / places.count;
    each.budget_ms = whole.budget_ms / places.count;
    each.fewest_samples = whole.fewest_samples / places.count;
    each.most_samples = whole.most_samples / places.count;
    HIDET_TRY(std::unique_ptr<cuda::Timer> timer, cuda::Timer::create(mine.gpu().backend.stream(), each));
    std::vector<cuda::Timing> all;
    HIDET_TRY_TO(in_places(mine, baseline, places, [&](Repeat& own, Baseline& other) -> Result<void> {
        const std::vector<cuda::Timer::Work> variants = {[&] { return own.on_gpu()->start(); },
                                                         [&] { return other.start(); }};
        HIDET_TRY(std::vector<cuda::Timing> timings, timer->compare(variants));
        if (all.empty())
            all = std::move(timings);
        else
            for (std::size_t i = 0; i < all.size(); ++i)
                add(all[i], timings[i]);
        return {};
    }));
    return all;
}

Result<std::vector<cuda::Timing>> measure_on_gpu(GpuRepeat& mine) {
    HIDET_TRY(std::unique_ptr<cuda::Timer> timer, cuda::Timer::create(mine.gpu().backend.stream()));
    HIDET_TRY(cuda::Timing timing, timer->measure([&] { return mine.start(); }));
    return std::vector<cuda::Timing>{std::move(timing)};
}

// Fills the row's times, peaks and notes; the baseline, if there is one, takes turns with the call.
Result<void> measure_on_gpu(GpuRepeat& mine, Baseline* baseline, const MemoryPlaces& places, BenchRow& row) {
    HIDET_TRY(const std::vector<cuda::Timing> timings,
              baseline ? compare_on_gpu(mine, *baseline, places) : measure_on_gpu(mine));
    row.times = view_of(timings[0].cold);
    row.hot = view_of(timings[0].hot);
    if (baseline) {
        row.baseline_times = view_of(timings[1].cold);
        row.baseline_hot = view_of(timings[1].hot);
        row.baseline_difference = baseline->difference();
    }
    add_roofs(mine.gpu().device().spec, row);
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
    const bench::Speed speed = bench::speed_of(*ratio);
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

Result<void> Measurer::measure(Repeat& mine, Baseline* baseline, const MakeSides& anew, BenchRow& row) {
    constexpr int places_of_few = 5;
    constexpr double few_bytes = 8e6; // more lie on pages of every kind anyway
    const MemoryPlaces places{row.is_emulated || row.bytes > few_bytes ? 1 : places_of_few, anew};
    Result<void> measured = mine.on_gpu() ? measure_on_gpu(*mine.on_gpu(), baseline, places, row)
                                          : measure_here(mine, baseline, places, row);
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

Result<void> Measurer::measure_here(Repeat& mine, Baseline* baseline, const MemoryPlaces& places, BenchRow& row) {
    if (baseline)
        HIDET_TRY_TO(compare_here(mine, *baseline, places, row));
    else
        HIDET_TRY_TO(measure_alone(mine, row));
    if (!row.is_emulated)
        add_cpu_limits(row);
    return {};
}

Result<void> Measurer::compare_here(Repeat& mine, Baseline& baseline, const MemoryPlaces& places, BenchRow& row) {
    const bench::Effort whole;
    const bench::Effort each{whole.warm_up_seconds / places.count, whole.seconds / places.count,
                             whole.least / places.count, whole.most / places.count,
                             whole.give_up_seconds / places.count};
    std::optional<Error> failure;
    const auto stop = [&] { return m_work.stopped() || failure; };
    const auto keep = [&failure](const Result<void>& result) {
        if (!result && !failure)
            failure = result.error();
    };
    // One code for calls of both sides: when the next one begins decides how soon the other threads see it, and a jump more is
    // some hundredths of a microsecond's call.
    const auto turn_of = [&keep](Repeat& call) { return std::function<void()>([&keep, &call] { keep(call.once()); }); };
    std::vector<double> own, others;
    HIDET_TRY_TO(in_places(mine, baseline, places, [&](Repeat& repeat, Baseline& other) -> Result<void> {
        const std::function<void()> others_turn =
            other.repeat() ? turn_of(*other.repeat()) : std::function<void()>([&] { keep(other.once()); });
        const bench::Pair pair = bench::measure_in_turns(turn_of(repeat), others_turn, each, stop);
        own.insert(own.end(), pair.first.samples.begin(), pair.first.samples.end());
        others.insert(others.end(), pair.second.samples.begin(), pair.second.samples.end());
        return failure ? Result<void>(*failure) : Result<void>();
    }));
    row.times = view_of(bench::summarise(std::move(own)));
    row.baseline_times = view_of(bench::summarise(std::move(others)));
    row.baseline_difference = baseline.difference();
    return {};
}

Result<void> Measurer::measure_alone(Repeat& mine, BenchRow& row) {
    std::optional<Error> failure;
    const auto once = [&] {
        if (Result<void> result = mine.once(); !result && !failure)
            failure = result.error();
    };
    row.times = view_of(bench::measure(once, {}, [&] { return m_work.stopped() || failure; }));
    if (failure)
        return *failure;
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
