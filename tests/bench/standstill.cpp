// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/standstill.h"

#include <map>

#include <pthread.h>
#include <sched.h>

namespace hidet::bench {

namespace {

constexpr auto nap = std::chrono::milliseconds(1);
constexpr auto least_stop = std::chrono::milliseconds(2); // later than any timer wakes such a thread

// Keeps the thread to the processor, before all others there.
bool place(std::jthread& thread, int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_param priority{};
    priority.sched_priority = 1;
    return pthread_setaffinity_np(thread.native_handle(), sizeof set, &set) == 0 &&
           pthread_setschedparam(thread.native_handle(), SCHED_FIFO, &priority) == 0;
}

} // namespace

Standstill::Standstill() {
    cpu_set_t usable;
    CPU_ZERO(&usable);
    sched_getaffinity(0, sizeof usable, &usable);
    for (int processor = 0; processor < CPU_SETSIZE && m_is_known; ++processor)
        if (CPU_ISSET(processor, &usable)) {
            m_watchers.emplace_back([this, processor](const std::stop_token& stop) { watch(stop, processor); });
            m_is_known = place(m_watchers.back(), processor);
        }
    if (!m_is_known)
        m_watchers.clear();
}

void Standstill::watch(const std::stop_token& stop, int processor) {
    while (!stop.stop_requested()) {
        const auto due = Clock::now() + nap;
        std::this_thread::sleep_until(due);
        const auto now = Clock::now();
        if (now - due < least_stop)
            continue;
        const std::lock_guard lock(m_mutex);
        m_stops.push_back({processor, due, now});
    }
}

double Standstill::between(Clock::time_point begin, Clock::time_point end) const {
    std::map<int, Clock::duration> stood;
    Clock::duration longest{};
    const std::lock_guard lock(m_mutex);
    for (const Stop& stop : m_stops)
        if (stop.begin < end && stop.end > begin) {
            Clock::duration& sum = stood[stop.processor];
            sum += std::min(stop.end, end) - std::max(stop.begin, begin);
            longest = std::max(longest, sum);
        }
    return m_is_known ? std::chrono::duration<double, std::milli>(longest).count() : 0;
}

} // namespace hidet::bench
