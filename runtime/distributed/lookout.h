// SPDX-License-Identifier: Apache-2.0
// A thread that looks at what nobody waits for: every tenth of a second, until it is told to end or has seen what it looks for.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "runtime/distributed/pause.h"

namespace hidet::distributed {

class Lookout {
public:
    explicit Lookout(std::function<bool()> look) // false: it need not look any more
        : m_thread([this, look = std::move(look)](const std::stop_token& end) { run(end, look); }) {}

private:
    void run(const std::stop_token& end, const std::function<bool()>& look) {
        constexpr double seconds_between = 0.1;
        std::unique_lock lock(m_mutex);
        while (true) {
            m_ended.wait_until(lock, end, after(seconds_between), [] { return false; });
            if (end.stop_requested() || !look())
                return;
        }
    }

    std::mutex m_mutex;
    std::condition_variable_any m_ended;
    std::jthread m_thread; // ends before what it uses
};

} // namespace hidet::distributed
