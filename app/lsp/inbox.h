// SPDX-License-Identifier: Apache-2.0
// What the server has to do, in order: messages of the client, and what happens meanwhile. Reading waits while too much is
// waiting here. A request can be cancelled while it waits.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace hidet::lsp {

struct Event {
    enum class Kind : std::uint8_t {
        Message,
        Fault, // bytes that are no message
        Woken, // something else than messages wants to be looked at
        Ended, // there will be no more messages
    };
    Kind kind = Kind::Woken;
    std::string text; // the message as it came; why there is none
};

class Inbox {
public:
    using Clock = std::chrono::steady_clock;

    void put(Event event); // waits while there is no room for another message
    void wake();
    // Nothing: the time has come.
    std::optional<Event> take(std::optional<Clock::time_point> until);

    // The process that this one shall not outlive; 0: none is known.
    void live_with(long process) { m_process = process; }
    long process() const { return m_process; }

    // Requests by their id as text, also those that are still waiting here. Asking forgets that one was cancelled.
    void cancel(std::string id);
    bool take_cancelled(const std::string& id);

private:
    static constexpr std::size_t most_events = 1000;
    static constexpr std::size_t most_bytes = 64u << 20;

    static constexpr std::size_t most_cancelled = 1000; // ones that were answered before are never asked for

    std::atomic<long> m_process = 0;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Event> m_events;
    std::size_t m_bytes = 0;
    bool m_woken = false;
    std::deque<std::string> m_cancelled;
};

} // namespace hidet::lsp
