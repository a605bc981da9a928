// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "runtime/cuda/graph.h"

namespace hidet::cuda {

namespace {

constexpr std::size_t least_flush = std::size_t{64} << 20;
constexpr int batch = 64; // samples between two waits: enough to keep the device busy, few enough events
constexpr int fewest_graph_launches = 20, most_graph_launches = 100;
constexpr double graph_sample_us = 1000; // of launches in one graph

double at_share(const std::vector<double>& sorted, double share) {
    double place = share * static_cast<double>(sorted.size() - 1);
    auto below = static_cast<std::size_t>(std::floor(place));
    std::size_t above = std::min(below + 1, sorted.size() - 1);
    double weight = place - std::floor(place);
    return sorted[below] * (1 - weight) + sorted[above] * weight;
}

struct EventPair {
    Event start;
    Event end;
};

Result<std::vector<EventPair>> make_events(const std::shared_ptr<Context>& context, std::size_t count) {
    std::vector<EventPair> pairs;
    for (std::size_t i = 0; i < count; ++i) {
        HIDET_TRY(Event start, Event::create(context));
        HIDET_TRY(Event end, Event::create(context));
        pairs.push_back({std::move(start), std::move(end)});
    }
    return pairs;
}

// In batches: record(events, count) starts what is timed, `count` samples of each variant, and take(pair, count, us) gets the
// times in the order of the events.
template <class Record, class Take>
Result<void> sample(Stream& stream, std::size_t variants, int samples, Record&& record, Take&& take) {
    const std::size_t at_once = std::min<std::size_t>(batch, static_cast<std::size_t>(samples));
    HIDET_TRY(std::vector<EventPair> events, make_events(stream.shared_context(), at_once * variants));
    for (int done = 0; done < samples; done += static_cast<int>(at_once)) {
        const std::size_t count = std::min(at_once, static_cast<std::size_t>(samples - done));
        HIDET_TRY_TO(record(events, count));
        HIDET_TRY_TO(stream.wait());
        for (std::size_t pair = 0; pair < count * variants; ++pair) {
            HIDET_TRY(double ms, events[pair].end.milliseconds_since(events[pair].start));
            take(pair, count, 1000 * ms);
        }
    }
    return {};
}

} // namespace

Distribution distribution_of(std::vector<double> microseconds) {
    Distribution out;
    if (microseconds.empty())
        return out;
    out.each_us = microseconds;
    std::ranges::sort(microseconds);
    out.samples = static_cast<int>(microseconds.size());
    out.median_us = at_share(microseconds, 0.5);
    out.p10_us = at_share(microseconds, 0.1);
    out.p90_us = at_share(microseconds, 0.9);
    out.fastest_us = microseconds.front();
    return out;
}

struct Timer::Variant {
    const Work* work = nullptr;
    double estimate_us = 0;
    std::optional<Graph> graph; // of `launches` runs
    int launches = 1;
    std::vector<double> cold, hot, row;
    std::string note;
};

Timer::Timer(std::shared_ptr<Stream> stream, TimingOptions options, DeviceBuffer flush)
    : m_stream(std::move(stream)), m_options(options), m_flush(std::move(flush)),
      m_monitor(m_stream->context().device()) {}

Result<std::unique_ptr<Timer>> Timer::create(std::shared_ptr<Stream> stream, TimingOptions options) {
    // Twice the cache, so that nothing of it survives whatever the order in which lines are replaced.
    const auto cache = static_cast<std::size_t>(stream->context().device().spec.l2_bytes);
    std::size_t bytes = std::max(2 * cache, least_flush);
    HIDET_TRY(DeviceBuffer flush, DeviceBuffer::allocate(stream, bytes, "flushing the cache between measurements"));
    return std::unique_ptr<Timer>(new Timer(std::move(stream), options, std::move(flush)));
}

DeviceState Timer::read_state() {
    DeviceState state = m_monitor.read();
    bench::add(m_clocks, state.sm_clock_mhz.value_or(0), state.slowed_by.value_or(std::vector<std::string>{}));
    return state;
}

Result<void> Timer::time(Event& start, Event& end, const Work& work) {
    HIDET_TRY_TO(start.record(*m_stream));
    HIDET_TRY_TO(work());
    return end.record(*m_stream);
}

// The first run loads modules and is thrown away; the rest warms the device up.
Result<double> Timer::estimate(const Work& work) {
    HIDET_TRY_TO(work());
    HIDET_TRY_TO(m_stream->wait());
    HIDET_TRY(std::vector<EventPair> events, make_events(m_stream->shared_context(), 1));
    std::vector<double> times;
    double total_us = 0;
    do {
        HIDET_TRY_TO(time(events[0].start, events[0].end, work));
        HIDET_TRY_TO(m_stream->wait());
        HIDET_TRY(double ms, events[0].end.milliseconds_since(events[0].start));
        times.push_back(1000 * ms);
        total_us += std::max(1000 * ms, 1.0);
    } while (times.size() < 3 || (total_us < 1000 * m_options.warm_up_ms && times.size() < 1000));
    return distribution_of(std::move(times)).median_us;
}

Result<void> Timer::prepare(Variant& variant) {
    HIDET_TRY(variant.estimate_us, estimate(*variant.work));
    if (variant.estimate_us >= m_options.graph_below_us)
        return {};
    variant.launches = std::clamp(static_cast<int>(graph_sample_us / std::max(variant.estimate_us, 1.0)),
                                  fewest_graph_launches, most_graph_launches);
    return record(variant, [&] { return repeat(variant); });
}

Result<void> Timer::repeat(const Variant& variant) {
    for (int i = 0; i < variant.launches; ++i)
        HIDET_TRY_TO((*variant.work)());
    return {};
}

Result<void> Timer::record(Variant& variant, const Work& launches) {
    Result<Graph> graph = Graph::capture(*m_stream, launches);
    if (graph)
        variant.graph.emplace(std::move(graph).value());
    else if (m_stream->context().fault())
        return graph.error();
    else
        variant.note = "not timed in a graph: " + graph.error().message;
    return {};
}

int Timer::samples_for(const std::vector<Variant>& variants) const {
    double longest_us = 1;
    for (const Variant& variant : variants)
        longest_us = std::max(longest_us, variant.estimate_us * variant.launches);
    double wanted = 1000 * m_options.budget_ms / longest_us;
    return std::clamp(static_cast<int>(std::min(wanted, 1e6)), m_options.fewest_samples, m_options.most_samples);
}

Result<void> Timer::sample_in_turn(std::vector<Variant>& variants, int samples, const Work& before, const Start& start,
                                   std::vector<double> Variant::*into) {
    const auto record = [&](std::vector<EventPair>& events, std::size_t count) -> Result<void> {
        read_state();
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t turn = 0; turn < variants.size(); ++turn) {
                const std::size_t v = i % 2 == 0 ? turn : variants.size() - 1 - turn;
                HIDET_TRY_TO(before());
                EventPair& pair = events[i * variants.size() + v];
                if (auto timed = time(pair.start, pair.end, [&] { return start(variants[v]); }); !timed)
                    return timed;
            }
        return {};
    };
    return sample(*m_stream, variants.size(), samples, record, [&](std::size_t pair, std::size_t, double us) {
        (variants[pair % variants.size()].*into).push_back(us);
    });
}

Result<void> Timer::sample_cold(std::vector<Variant>& variants, int samples) {
    unsigned char value = 0;
    auto flush = [&] { return fill(*m_stream, m_flush.address(), value++, m_flush.bytes()); };
    auto start = [](Variant& variant) { return (*variant.work)(); };
    return sample_in_turn(variants, samples, flush, start, &Variant::cold);
}

Result<void> Timer::sample_hot(std::vector<Variant>& variants, int samples) {
    // All of a variant's in a row: in turn they would put each other out of the cache.
    const auto record = [&](std::vector<EventPair>& events, std::size_t count) -> Result<void> {
        read_state();
        std::size_t next = 0;
        for (Variant& variant : variants) {
            Work launches = [&] { return variant.graph ? variant.graph->launch(*m_stream) : repeat(variant); };
            if (auto ran = (*variant.work)(); !ran) // brings its data back into the cache
                return ran;
            for (std::size_t i = 0; i < count; ++i) {
                EventPair& pair = events[next++];
                HIDET_TRY_TO(time(pair.start, pair.end, launches));
            }
        }
        return {};
    };
    return sample(*m_stream, variants.size(), samples, record, [&](std::size_t pair, std::size_t count, double us) {
        Variant& variant = variants[pair / count];
        variant.hot.push_back(us / variant.launches);
    });
}

Result<std::vector<Timing>> Timer::compare(std::span<const Work> works) {
    std::vector<Variant> variants(works.size());
    for (std::size_t i = 0; i < works.size(); ++i) {
        variants[i].work = &works[i];
        HIDET_TRY_TO(prepare(variants[i]));
    }
    if (m_options.pause_ms > 0)
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(m_options.pause_ms));
    m_clocks = {};
    DeviceState before = read_state();
    int samples = samples_for(variants);
    HIDET_TRY_TO(sample_cold(variants, samples));
    HIDET_TRY_TO(sample_hot(variants, samples));
    DeviceState after = read_state();
    std::vector<Timing> timings;
    for (Variant& variant : variants) {
        Timing& timing = timings.emplace_back();
        timing.cold = distribution_of(std::move(variant.cold));
        timing.hot = distribution_of(std::move(variant.hot));
        timing.hot.launches = variant.launches;
        timing.hot.in_graph = variant.graph.has_value();
        timing.before = before;
        timing.after = after;
        timing.clocks = m_clocks;
        timing.note = std::move(variant.note);
    }
    return timings;
}

// The first run loads modules and lets libraries choose, which a recording may not.
Result<void> Timer::prepare_row(Variant& variant) {
    HIDET_TRY_TO((*variant.work)());
    HIDET_TRY_TO(m_stream->wait());
    HIDET_TRY_TO(record(variant, *variant.work));
    HIDET_TRY(double row_us, estimate([&] { return start_row(variant); }));
    variant.estimate_us = row_us / variant.launches;
    return {};
}

Result<void> Timer::start_row(Variant& variant) {
    return variant.graph ? variant.graph->launch(*m_stream) : (*variant.work)();
}

Result<std::vector<RowTiming>> Timer::compare_rows(std::span<const Work> rows, int launches) {
    std::vector<Variant> variants(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        variants[i].work = &rows[i];
        variants[i].launches = launches;
        HIDET_TRY_TO(prepare_row(variants[i]));
    }
    auto nothing = [] { return Result<void>(); };
    auto start = [&](Variant& variant) { return start_row(variant); };
    HIDET_TRY_TO(sample_in_turn(variants, samples_for(variants), nothing, start, &Variant::row));
    std::vector<RowTiming> timings;
    for (Variant& variant : variants) {
        for (double& sample : variant.row)
            sample /= launches;
        RowTiming& timing = timings.emplace_back();
        timing.each = distribution_of(std::move(variant.row));
        timing.each.launches = launches;
        timing.each.in_graph = variant.graph.has_value();
        timing.note = std::move(variant.note);
    }
    return timings;
}

Result<Timing> Timer::measure(const Work& work) {
    HIDET_TRY(std::vector<Timing> timings, compare({&work, 1}));
    return std::move(timings.front());
}

} // namespace hidet::cuda
