// SPDX-License-Identifier: Apache-2.0
// Does jobs in this process, on one thread of its own. What a worker process does inside, and good for tests: no process is
// started, and a crash is everybody's.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "app/session/work/large_thread.h"
#include "app/session/worker/service.h"

namespace hidet::session {

struct LocalOptions {
    std::shared_ptr<Tools> tools;                           // null: opened with the first job
    std::function<void(const ServiceState&)> state_changed; // from the service's thread
    std::function<Answer(const JobRequest&, const std::atomic<bool>&)> elsewhere = {}; // as JobContext has it
};

class LocalService final : public Service {
public:
    explicit LocalService(LocalOptions options = {});
    ~LocalService() override; // waits until the job in hand has noticed

    Ticket submit(Job job, OnEvent on_event, OnDone on_done) override;
    void cancel(Ticket ticket) override;
    ServiceState state() const override;
    void restart() override {}

    // Why this process must not do another job: the device is lost to it, or a kernel that never ends keeps it. Empty: it
    // may.
    std::string spent() const;

private:
    struct Item {
        Ticket ticket = 0;
        Job job;
        OnEvent on_event;
        OnDone on_done;
        bool cancelled = false;
    };
    void work();
    // One that was cancelled goes first; nothing: the service ends, and the queue is empty.
    std::optional<Item> next();
    Answer answer_to(const Item& item);
    void finish(Item& item, Answer answer);
    void enter(ServiceState::Phase phase, std::string doing);

    LocalOptions m_options;
    mutable std::mutex m_mutex;
    std::condition_variable m_woken;
    std::deque<Item> m_queue;
    ServiceState m_state;
    Ticket m_last = 0;
    Ticket m_running = 0;
    std::atomic<bool> m_cancelled = false; // the job in hand
    std::string m_spent;
    bool m_leaving = false;
    std::optional<LargeThread> m_thread; // last: it uses all of the others
};

} // namespace hidet::session
