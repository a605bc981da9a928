// SPDX-License-Identifier: Apache-2.0
// Repeated measurements and what they say.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace hidet::bench {

// Seconds of one execution each.
struct Times {
    double median = 0;
    double p10 = 0;
    double p90 = 0;
    double fastest = 0;
    int count = 0;
    std::vector<double> samples;                                            // in the order in which they were taken
    double spread() const { return median > 0 ? (p90 - p10) / median : 0; } // relative
};
Times summarise(std::vector<double> seconds); // of no measurement: zeros

struct Effort {
    double warm_up_seconds = 0.05;
    double seconds = 0.3; // of measuring, at least
    int least = 10;       // measurements
    int most = 10'000;
    double give_up_seconds = 15; // however few there are
};

// Runs `once` on this thread until the effort is spent. Executions under a few microseconds are measured in batches, so
// that reading the clock does not count. `stop` is asked between executions.
Times measure(const std::function<void()>& once, const Effort& effort, const std::function<bool()>& stop);

// Two in turns, A B A B, so that a machine that slows down slows both.
struct Pair {
    Times first;
    Times second;
};
Pair measure_in_turns(const std::function<void()>& first, const std::function<void()>& second, const Effort& effort,
                      const std::function<bool()>& stop);

// How many times as long as the second the first takes, with an interval of 99 % confidence, of two that were measured in turns.
// What slows a machine for a while slows both neighbours, and those that come after them: so the ratios of neighbours are no
// independent observations, but their medians over some stretches of the time are nearly. The estimate is the median of these,
// and two of their order statistics are its bounds (the binomial interval of a median: it assumes nothing of how times are
// distributed).
struct Ratio {
    double median = 1;
    double low = 1, high = 1;
    int pairs = 0;
};
std::optional<Ratio> ratio_of(const std::vector<double>& first, const std::vector<double>& second); // nothing: too few

enum class Speed : std::uint8_t { NoDifference, Faster, Slower };
const char* speed_name(Speed speed); // "no difference"
// Less is none, however sure it is: where code and data happen to lie makes a hundredth and a half, between two runs of one program
// as well, on processors and GPUs alike.
inline constexpr double least_difference = 0.02;
Speed speed_of(const Ratio& ratio); // of the first

} // namespace hidet::bench
