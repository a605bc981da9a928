// SPDX-License-Identifier: Apache-2.0
#include "app/session/bench/bench_gpu.h"

#include "app/session/bench/roofline.h"

namespace hidet::session {

TimesView view_of(const cuda::Distribution& times) {
    TimesView out{times.median_us * 1e-6, times.p10_us * 1e-6, times.p90_us * 1e-6, times.samples, times.spread(), {}};
    for (double each : times.each_us)
        out.samples.push_back(each * 1e-6);
    return out;
}

namespace {

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
    if (timing.after.slowed_by && !timing.after.slowed_by->empty())
        row.notes.push_back("slowed down by: " + join(*timing.after.slowed_by, ", "));
    if (!timing.note.empty())
        row.notes.push_back(timing.note);
}

} // namespace

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

} // namespace hidet::session
