// SPDX-License-Identifier: Apache-2.0
// When the machine gave its processors to nobody: the host of a virtual machine stops it, for 10 to 60 ms where these benchmarks
// were written, and charges that to the thread it stopped, so that clock and processor time of what ran lengthen alike. A
// thread on each processor wakes every millisecond with real-time priority, which no program delays; where it wakes late
// the machine stood still.
#pragma once

#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "tests/bench/bench.h"

namespace hidet::bench {

class Standstill {
public:
    Standstill();

    bool is_known() const { return m_is_known; } // false where this user may not have real-time priority
    // Milliseconds between the two: those of the processor that stood still longest.
    double between(Clock::time_point begin, Clock::time_point end) const;

private:
    struct Stop {
        int processor;
        Clock::time_point begin, end;
    };
    void watch(const std::stop_token& stop, int processor);

    mutable std::mutex m_mutex;
    std::vector<Stop> m_stops;
    bool m_is_known = true;
    std::vector<std::jthread> m_watchers;
};

} // namespace hidet::bench
