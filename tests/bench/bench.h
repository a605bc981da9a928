// SPDX-License-Identifier: Apache-2.0
// What a benchmark needs: repeat, take the median, print one line a figure. `tests/dev.py bench` builds and runs all
// programs of this folder and shows their figures as ratios to their goals.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace hidet::bench {

using Clock = std::chrono::steady_clock;

inline double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// The median time of a call, in milliseconds: a call to warm up, then calls for the given time, at least five.
template <class Body>
double median_ms(Body&& body, double for_ms = 600) {
    body();
    std::vector<double> times;
    auto begin = Clock::now();
    while (times.size() < 5 || (milliseconds_since(begin) < for_ms && times.size() < 2000)) {
        auto start = Clock::now();
        body();
        times.push_back(milliseconds_since(start));
    }
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    return times[times.size() / 2];
}

enum class Better : bool { Less, More };

// A goal of 0 is none: the figure is shown for the record.
inline void figure(const std::string& name, double value, const char* unit, double goal = 0,
                   Better better = Better::Less) {
    std::printf("figure\t%s\t%.4g\t%s\t%.4g\t%s\n", name.c_str(), value, unit, goal,
                better == Better::Less ? "less" : "more");
    std::fflush(stdout);
}

inline std::string read_text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return std::move(out).str();
}

} // namespace hidet::bench
