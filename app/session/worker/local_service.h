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

#include "app/session/tools/tools.h"
#include "app/session/work/large_thread.h"
#include "app/session/worker/perform.h"
#include "app/session/worker/service.h"

namespace hidet::session {

struct LocalOptions {
    std::shared_ptr<Tools> tools;                           // null: opened with the first job
    std::function<void(const ServiceState&)> state_changed; // from the service's thread
    std::function<Answer(const JobRequest&, const std::atomic<bool>&)> elsewhere = {}; // as JobContext has it
};

class LocalService final : public Service {
public:
    explicit LocalService(LocalOptions options = {})
        : m_options(std::move(options)), m_thread(std::in_place, [this] { work(); }) {}
    // waits until the job in hand has noticed
    ~LocalService() override {
        {
            std::lock_guard lock(m_mutex);
            m_leaving = true;
            m_cancelled = true;
            m_woken.notify_all();
        }
        m_thread.reset();
    }

    Ticket submit(Job job, OnEvent on_event, OnDone on_done) override {
        std::lock_guard lock(m_mutex);
        m_queue.push_back({++m_last, std::move(job), std::move(on_event), std::move(on_done), false});
        m_woken.notify_all();
        return m_last;
    }

    void cancel(Ticket ticket) override {
        std::lock_guard lock(m_mutex);
        if (m_running == ticket)
            m_cancelled = true;
        for (Item& item : m_queue)
            item.cancelled |= item.ticket == ticket;
        m_woken.notify_all();
    }

    ServiceState state() const override {
        std::lock_guard lock(m_mutex);
        ServiceState state = m_state;
        state.waiting = static_cast<int>(m_queue.size());
        return state;
    }

    void restart() override {}

    // Why this process must not do another job: the device is lost to it, or a kernel that never ends keeps it. Empty: it
    // may.
    std::string spent() const {
        std::lock_guard lock(m_mutex);
        return m_spent;
    }

private:
    struct Item {
        Ticket ticket = 0;
        Job job;
        OnEvent on_event;
        OnDone on_done;
        bool cancelled = false;
    };
    void work() {
        enter(ServiceState::Phase::Idle, "");
        while (std::optional<Item> item = next())
            finish(*item, item->cancelled ? Answer{Ended::Cancelled, {}, {}, {}} : answer_to(*item));
    }

    // One that was cancelled goes first; nothing: the service ends, and the queue is empty.
    // One that was cancelled goes first; nothing: the service ends, and the queue is empty.
    std::optional<Item> next() {
        std::unique_lock lock(m_mutex);
        m_woken.wait(lock, [this] { return m_leaving || !m_queue.empty(); });
        if (m_queue.empty())
            return std::nullopt;
        auto chosen = m_queue.begin();
        for (auto item = m_queue.begin(); item != m_queue.end(); ++item)
            if (item->cancelled) {
                chosen = item;
                break;
            }
        Item item = std::move(*chosen);
        m_queue.erase(chosen);
        item.cancelled |= m_leaving;
        if (!item.cancelled) {
            m_running = item.ticket;
            m_cancelled = false;
        }
        return item;
    }

    Answer answer_to(const Item& item) {
        enter(ServiceState::Phase::Busy,
              item.job.title.empty() ? row_of(kind_of(item.job.request)).name : item.job.title);
        if (!m_options.tools)
            m_options.tools = open_tools();
        Answer answer = perform(item.job.request, {m_options.tools, m_cancelled, item.on_event, m_options.elsewhere});
        std::string spent = device_hangs(answer) ? "a kernel does not end" : "";
        if (auto lost = m_options.tools->gpu_lost())
            spent = lost->message;
        std::lock_guard lock(m_mutex);
        m_spent = spent;
        m_running = 0;
        if (m_cancelled)
            answer.ended = Ended::Cancelled;
        return answer;
    }

    void finish(Item& item, Answer answer) {
        if (item.on_done)
            item.on_done(std::move(answer));
        if (!item.cancelled)
            enter(ServiceState::Phase::Idle, "");
    }

    void enter(ServiceState::Phase phase, std::string doing) {
        {
            std::lock_guard lock(m_mutex);
            m_state.phase = phase;
            m_state.doing = std::move(doing);
            m_state.since = std::chrono::steady_clock::now();
        }
        if (m_options.state_changed)
            m_options.state_changed(state());
    }

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
