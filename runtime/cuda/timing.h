// SPDX-License-Identifier: Apache-2.0
// Measuring work on a GPU: warm-up, events around each run, the second-level cache flushed or not, several variants in turn,
// medians. What runs is the caller's; so are random data and the check of the results.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/bench/clocks.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/monitor.h"

namespace hidet::cuda {

struct TimingOptions {
    double warm_up_ms = 25;
    double budget_ms = 200; // of each variant, cold and hot alike
    int fewest_samples = 10;
    int most_samples = 1000;
    double graph_below_us = 20; // events resolve half a microsecond: shorter work is timed many times in a graph
    double pause_ms = 0;        // between warm-up and measuring
};

struct Distribution {
    double median_us = 0;
    double p10_us = 0;
    double p90_us = 0;
    double fastest_us = 0;
    int samples = 0;             // 0: not measured
    std::vector<double> each_us; // in the order in which they were taken
    int launches = 1;            // of the work in each sample
    bool in_graph = false;
    double spread() const { return median_us > 0 ? (p90_us - p10_us) / median_us : 0; }
};
Distribution distribution_of(std::vector<double> microseconds);

struct RowTiming {
    Distribution each; // of one launch: a sample is a row of them, divided by their number
    std::string note;  // why they are not in a graph
};

struct Timing {
    Distribution cold; // with the second-level cache flushed before each run
    Distribution hot;  // run after run
    DeviceState before;
    DeviceState after;
    bench::Clocks clocks; // from before to after, about every 64 samples
    std::string note;     // why something is missing
};

class Timer {
public:
    // Takes the memory for the flush once.
    static Result<std::unique_ptr<Timer>> create(std::shared_ptr<Stream> stream, TimingOptions options = {});

    // Starts the work once in the stream, and does not wait. Errors end the measurement.
    using Work = std::function<Result<void>()>;
    Result<Timing> measure(const Work& work);
    // The variants in turn, sample by sample, so that clocks and temperatures are the same for all of them.
    Result<std::vector<Timing>> compare(std::span<const Work> variants);
    // Each of the works starts `launches` launches, one after the other as in a model. It is recorded into one graph where
    // that can be done, and the rows take turns, replay by replay. Nothing is flushed in between.
    Result<std::vector<RowTiming>> compare_rows(std::span<const Work> rows, int launches);

private:
    struct Variant;
    using Start = std::function<Result<void>(Variant&)>;

    Timer(std::shared_ptr<Stream> stream, TimingOptions options, DeviceBuffer flush);
    Result<double> estimate(const Work& work);
    Result<void> prepare(Variant& variant);
    Result<void> prepare_row(Variant& variant);
    static Result<void> repeat(const Variant& variant); // as often as one graph would
    Result<void> record(Variant& variant, const Work& launches);
    Result<void> start_row(Variant& variant);
    // One sample of each variant, then the next of each, every other time in reverse, so that none always follows the same
    // one. What is done `before` each is not timed.
    Result<void> sample_in_turn(std::vector<Variant>& variants, int samples, const Work& before, const Start& start,
                                std::vector<double> Variant::*into);
    Result<void> sample_cold(std::vector<Variant>& variants, int samples);
    Result<void> sample_hot(std::vector<Variant>& variants, int samples);
    DeviceState read_state(); // into the clocks, too
    Result<void> time(Event& start, Event& end, const Work& work);
    int samples_for(const std::vector<Variant>& variants) const;

    std::shared_ptr<Stream> m_stream;
    TimingOptions m_options;
    DeviceBuffer m_flush;
    Monitor m_monitor;
    bench::Clocks m_clocks;
};

} // namespace hidet::cuda
