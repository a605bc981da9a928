// SPDX-License-Identifier: Apache-2.0
#include "app/session/live/live_session.h"

#include <condition_variable>
#include <deque>
#include <thread>

#include "app/session/live/assist.h"
#include "app/session/live/stages.h"

namespace hidet::session {

class LiveSession::Impl {
public:
    explicit Impl(LiveOptions options) : m_tools(std::move(options.tools)) {
        m_publisher.listener = std::move(options.listener);
        m_threads.emplace_back([this] { run_front(); });
        if (options.analyse)
            m_threads.emplace_back([this] { run_analyst(); });
        m_analyses = options.analyse;
        for (int i = 0; m_tools && i < std::max(options.threads, 1); ++i)
            m_threads.emplace_back([this] { run_compiler(); });
    }

    void submit(LiveRequest request) {
        auto next =
            std::make_shared<Revision>(std::make_shared<const LiveRequest>(std::move(request)), m_tools, m_publisher);
        std::lock_guard publishing(m_publisher.mutex);
        std::lock_guard lock(m_mutex);
        if (m_stopped || (m_newest && next->request().revision <= m_newest->request().revision))
            return;
        if (m_newest)
            m_newest->cancel();
        next->begin_work();
        if (m_analyses) {
            next->begin_work();
            m_unread = next;
        }
        m_newest = next;
        m_waiting = std::move(next);
        m_tasks.clear(); // all of older revisions
        m_changed.notify_all();
    }

    void stop() {
        {
            std::lock_guard publishing(m_publisher.mutex);
            std::lock_guard lock(m_mutex);
            m_stopped = true;
            if (m_newest)
                m_newest->cancel();
            m_waiting = m_unread = nullptr;
            m_tasks.clear();
            m_changed.notify_all();
        }
        for (std::thread& thread : m_threads)
            if (thread.joinable())
                thread.join();
    }

private:
    void run_front() {
        Front front([this](CompileTask task) { hand_over(std::move(task)); });
        while (auto revision = next_in(m_waiting))
            finish(*revision, [&] { front.run(revision); });
    }

    void run_analyst() {
        assist::DocumentRef last;
        while (auto revision = next_in(m_unread))
            finish(*revision, [&] {
                const LiveRequest& request = revision->request();
                if (request.source.is_ir)
                    return;
                assist::AnalyseRequest asked = assist::request_for(request.source, request.calls);
                asked.previous = last;
                asked.cancelled = &revision->cancelled();
                auto document = assist::analyse(std::move(asked));
                if (!revision->stopped())
                    last = document;
                revision->publish([&](LiveSnapshot& state) { state.document = std::move(document); });
            });
    }

    void run_compiler() {
        while (auto task = next_task())
            finish(*task->revision, [&] { compile(*task); });
    }

    // The stages catch what goes wrong in them; what is left is said of the revision as a whole.
    template <class F>
    void finish(Revision& revision, F&& body) {
        try {
            body();
        } catch (const std::exception&) {
            revision.publish([](LiveSnapshot& state) { state.status = Status::Internal; });
        }
        revision.end_work();
    }

    std::shared_ptr<Revision> next_in(std::shared_ptr<Revision>& waiting) {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return m_stopped || waiting; });
        return m_stopped ? nullptr : std::exchange(waiting, nullptr);
    }

    std::optional<CompileTask> next_task() {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return m_stopped || !m_tasks.empty(); });
        if (m_stopped)
            return {};
        CompileTask task = std::move(m_tasks.front());
        m_tasks.pop_front();
        return task;
    }

    void hand_over(CompileTask task) {
        std::lock_guard lock(m_mutex);
        if (m_stopped || task.revision->stopped())
            return;
        task.revision->begin_work();
        m_tasks.push_back(std::move(task));
        m_changed.notify_all();
    }

    std::shared_ptr<Tools> m_tools;
    Publisher m_publisher;
    std::mutex m_mutex; // of what follows; taken after the publisher's
    std::condition_variable m_changed;
    std::shared_ptr<Revision> m_newest;
    std::shared_ptr<Revision> m_waiting; // for the front
    std::shared_ptr<Revision> m_unread;  // for the analyst
    bool m_analyses = false;
    std::deque<CompileTask> m_tasks;
    bool m_stopped = false;
    std::vector<std::thread> m_threads;
};

LiveSession::LiveSession(LiveOptions options) : m_impl(std::make_unique<Impl>(std::move(options))) {}
LiveSession::~LiveSession() {
    stop();
}
void LiveSession::submit(LiveRequest request) {
    m_impl->submit(std::move(request));
}
void LiveSession::stop() {
    m_impl->stop();
}

} // namespace hidet::session
