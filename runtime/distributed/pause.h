// SPDX-License-Identifier: Apache-2.0
// Asking again until there is an answer: at first soon, later every few milliseconds, until the time is up.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "runtime/distributed/patience.h"

namespace hidet::distributed {

using Clock = std::chrono::steady_clock;

inline Clock::time_point after(double seconds) { // at most a year, so that no clock overflows
    const double some = std::clamp(seconds, 0.0, 3e7);
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(some));
}

class Pause {
public:
    explicit Pause(Patience patience) : m_patience(std::move(patience)), m_deadline(after(m_patience.seconds)) {}
    bool again() { // false: the time is up, or nobody wants to wait any longer
        m_is_cancelled = m_patience.is_at_end();
        if (m_is_cancelled || Clock::now() >= m_deadline)
            return false;
        std::this_thread::sleep_for(m_pause);
        m_pause = std::min(m_pause * 2, std::chrono::microseconds(5000));
        return true;
    }

    // Behind that: why it ends, in these words where the time is up.
    Error end(std::string late) const { return m_is_cancelled ? cancelled_wait() : Error{"timeout", std::move(late)}; }

private:
    Patience m_patience;
    bool m_is_cancelled = false;
    Clock::time_point m_deadline;
    std::chrono::microseconds m_pause{100};
};

} // namespace hidet::distributed
