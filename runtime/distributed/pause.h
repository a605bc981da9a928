// SPDX-License-Identifier: Apache-2.0
// Asking again until there is an answer: at first soon, later every few milliseconds, until the time is up.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace hidet::distributed {

using Clock = std::chrono::steady_clock;

inline Clock::time_point after(double seconds) { // at most a year, so that no clock overflows
    const double some = std::clamp(seconds, 0.0, 3e7);
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(some));
}

class Pause {
public:
    explicit Pause(double seconds) : m_deadline(after(seconds)) {}
    bool again() { // false: the time is up
        if (Clock::now() >= m_deadline)
            return false;
        std::this_thread::sleep_for(m_pause);
        m_pause = std::min(m_pause * 2, std::chrono::microseconds(5000));
        return true;
    }

private:
    Clock::time_point m_deadline;
    std::chrono::microseconds m_pause{100};
};

} // namespace hidet::distributed
