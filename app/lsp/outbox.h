// SPDX-License-Identifier: Apache-2.0
// What goes to the client, written by a thread of its own: a client that does not read keeps nobody else from working.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace hidet::lsp {

class Outbox {
public:
    explicit Outbox(int descriptor);
    ~Outbox();
    Outbox(const Outbox&) = delete;
    Outbox& operator=(const Outbox&) = delete;

    void send(std::string body);
    // Little enough is waiting that more may be asked. Whoever produces much asks before.
    bool has_room() const;
    // Until there is room, the client has gone, or the time is over.
    void wait_for_room(std::chrono::milliseconds longest);
    void flush(std::chrono::milliseconds longest); // until all is written
    bool is_broken() const;                        // nobody reads any more

private:
    void run();

    const int m_descriptor;
    mutable std::mutex m_mutex; // of what follows
    mutable std::condition_variable m_changed;
    std::deque<std::string> m_waiting;
    std::size_t m_bytes = 0; // of those, and of the one that is being written
    bool m_broken = false;
    bool m_ended = false;
    std::thread m_thread; // last
};

} // namespace hidet::lsp
