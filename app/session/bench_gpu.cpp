// SPDX-License-Identifier: Apache-2.0
#include "app/session/bench_gpu.h"

#include <algorithm>

#include "runtime/cuda/timing.h"

namespace hidet::session {

namespace {

TimesView view_of(const cuda::Distribution& times) {
    TimesView out{times.median_us * 1e-6, times.p10_us * 1e-6, times.p90_us * 1e-6, times.samples, times.spread(), {}};
    for (double each : times.each_us)
        out.samples.push_back(each * 1e-6);
    return out;
}

// Dense multiply-adds a clock and multiprocessor of the matrix units, by NVIDIA's tables for data-centre and desktop cards.
double matrix_rate(int capability, const std::string& type) {
    struct Row {
        int capability;
        double f16; // bf16 the same
    };
    constexpr Row rows[] = {{70, 512},  {75, 512}, {80, 1024}, {86, 512},
                            {87, 1024}, {89, 512}, {90, 2048}, {100, 4096}};
    double f16 = 0;
    for (const Row& row : rows)
        if (row.capability <= capability)
            f16 = row.f16;
    if (type == "tf32")
        return f16 / 2;
    return type.starts_with("f8") || type == "i8" || type == "u8" ? f16 * 2 : f16;
}

double f32_rate(int capability) { // multiply-adds a clock and multiprocessor
    return capability == 70 || capability == 75 || capability == 80 ? 64 : 128;
}

void add_peaks(const cuda::DeviceProperties& device, BenchRow& row) {
    double clocks = 1e3 * device.clock_khz * device.multiprocessors;
    row.peak_flops =
        2 * clocks *
        (row.uses_matrix_units ? matrix_rate(device.capability, row.matrix_type) : f32_rate(device.capability));
    row.peak_bytes_per_second = device.memory_bandwidth();
    row.roofs = {{RoofKind::Memory, "memory", row.peak_bytes_per_second, false},
                 {RoofKind::Arithmetic, "f32", peak_f32_flops(device), false}};
    if (row.uses_matrix_units)
        row.roofs.push_back({RoofKind::Arithmetic, row.matrix_type + " matrix units", row.peak_flops, false});
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
    if (timing.after.slowed_by && !timing.after.slowed_by->empty())
        row.notes.push_back("slowed down by: " + join(*timing.after.slowed_by, ", "));
    if (!timing.note.empty())
        row.notes.push_back(timing.note);
}

} // namespace

double peak_f32_flops(const cuda::DeviceProperties& device) {
    return 2e3 * device.clock_khz * device.multiprocessors * f32_rate(device.capability);
}

Result<void> measure_on_gpu(GpuRepeat& mine, Peer* peer, BenchRow& row) {
    const std::shared_ptr<cuda::Stream>& stream = mine.gpu().backend.stream();
    HIDET_TRY(std::unique_ptr<cuda::Timer> timer, cuda::Timer::create(stream));
    std::vector<cuda::Timer::Work> variants = {[&] { return mine.start(); }};
    if (peer)
        variants.push_back([&] { return peer->start(); });
    HIDET_TRY(std::vector<cuda::Timing> timings, timer->compare(variants));
    row.times = view_of(timings[0].cold);
    row.hot = view_of(timings[0].hot);
    if (peer) {
        row.peer_times = view_of(timings[1].cold);
        row.peer_hot = view_of(timings[1].hot);
        row.peer_difference = peer->difference();
    }
    add_peaks(stream->context().device(), row);
    add_notes(timings[0], row);
    return {};
}

} // namespace hidet::session
