// SPDX-License-Identifier: Apache-2.0
#include "runtime/bench/statistics.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

namespace hidet::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr double shortest_measurement = 20e-6; // the clock costs some 30 ns

double at_fraction(const std::vector<double>& sorted, double fraction) {
    double place = fraction * static_cast<double>(sorted.size() - 1);
    auto below = static_cast<std::size_t>(place);
    std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

// One of the things that are measured in turns.
class Subject {
public:
    explicit Subject(const std::function<void()>& once) : m_once(once) {}

    // How many runs are long enough to be measured.
    int warm_up(double seconds, const std::function<bool()>& stop) {
        auto start = Clock::now();
        int runs = 0;
        do {
            m_once();
            ++runs;
        } while (seconds_since(start) < seconds && !stop());
        double each = seconds_since(start) / runs;
        return std::clamp(static_cast<int>(std::ceil(shortest_measurement / std::max(each, 1e-9))), 1, 1000);
    }
    void sample(int batch) {
        auto start = Clock::now();
        for (int i = 0; i < batch; ++i)
            m_once();
        m_seconds.push_back(seconds_since(start) / batch);
    }
    Times times() { return summarise(std::move(m_seconds)); }
    int count() const { return static_cast<int>(m_seconds.size()); }

private:
    const std::function<void()>& m_once;
    std::vector<double> m_seconds;
};

// Who is first in a round is drawn: whatever else the machine does in a rhythm would otherwise meet one of them more often. All run
// equally often in a sample, since what comes before a run changes how long it takes.
void run(std::vector<Subject*> subjects, const Effort& effort, const std::function<bool()>& stop) {
    auto begin = Clock::now();
    int batch = 1;
    for (Subject* subject : subjects)
        batch = std::max(batch, subject->warm_up(effort.warm_up_seconds, stop));
    auto start = Clock::now();
    std::mt19937 dice;
    while (!stop()) {
        if (dice() % 2 != 0)
            std::ranges::reverse(subjects);
        for (Subject* subject : subjects)
            subject->sample(batch);
        int count = subjects.front()->count();
        bool enough =
            count >= effort.least && seconds_since(start) >= effort.seconds * static_cast<double>(subjects.size());
        if (enough || count >= effort.most || seconds_since(begin) > effort.give_up_seconds)
            return;
    }
}

} // namespace

Times summarise(std::vector<double> seconds) {
    Times times;
    if (seconds.empty())
        return times;
    times.samples = seconds;
    std::ranges::sort(seconds);
    times.median = at_fraction(seconds, 0.5);
    times.p10 = at_fraction(seconds, 0.1);
    times.p90 = at_fraction(seconds, 0.9);
    times.fastest = seconds.front();
    times.count = static_cast<int>(seconds.size());
    return times;
}

Times measure(const std::function<void()>& once, const Effort& effort, const std::function<bool()>& stop) {
    Subject subject(once);
    run({&subject}, effort, stop);
    return subject.times();
}

Pair measure_in_turns(const std::function<void()>& first, const std::function<void()>& second, const Effort& effort,
                      const std::function<bool()>& stop) {
    Subject a(first), b(second);
    run({&a, &b}, effort, stop);
    return {a.times(), b.times()};
}

std::optional<Ratio> ratio_of(const std::vector<double>& first, const std::vector<double>& second) {
    constexpr double quantile = 2.5758;        // of the normal distribution at 99 %
    constexpr std::size_t fewest = 9;          // with fewer no two order statistics lie so far apart
    constexpr std::size_t most_stretches = 25; // of time
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
        if (first[i] > 0 && second[i] > 0)
            ratios.push_back(first[i] / second[i]);
    if (ratios.size() < fewest)
        return std::nullopt;
    const int pairs = static_cast<int>(ratios.size());
    const std::size_t stretches = std::min(ratios.size(), most_stretches);
    std::vector<double> medians;
    for (std::size_t i = 0; i < stretches; ++i) {
        const auto at = [&](std::size_t stretch) {
            return ratios.begin() + static_cast<std::ptrdiff_t>(stretch * ratios.size() / stretches);
        };
        std::sort(at(i), at(i + 1));
        medians.push_back(at_fraction({at(i), at(i + 1)}, 0.5));
    }
    std::ranges::sort(medians);
    const double count = static_cast<double>(stretches);
    const auto below = static_cast<std::size_t>(std::max(0.0, std::floor((count - quantile * std::sqrt(count)) / 2)));
    return Ratio{at_fraction(medians, 0.5), medians[below], medians[stretches - 1 - below], pairs};
}

const char* speed_name(Speed speed) {
    switch (speed) {
    case Speed::NoDifference: return "no difference";
    case Speed::Faster: return "faster";
    case Speed::Slower: return "slower";
    }
    return "";
}

Speed speed_of(const Ratio& ratio) {
    if (ratio.high < 1 && ratio.median < 1 - least_difference)
        return Speed::Faster;
    return ratio.low > 1 && ratio.median > 1 + least_difference ? Speed::Slower : Speed::NoDifference;
}

} // namespace hidet::bench
