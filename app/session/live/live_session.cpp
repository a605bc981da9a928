// SPDX-License-Identifier: Apache-2.0
#include "app/session/live/live_session.h"

#include <condition_variable>
#include <deque>
#include <thread>

#include "app/session/live/proofs.h"
#include "app/session/live/stages.h"
#include "lang/base/lower_priority.h"

namespace hidet::session {

static constexpr std::chrono::milliseconds pause_before_fixes{200};
static constexpr std::chrono::milliseconds pause_before_proofs{1000};

class LiveSession::Impl {
public:
    explicit Impl(LiveOptions options) : m_tools(std::move(options.tools)) {
        m_publisher.listener = std::move(options.listener);
        start(&Impl::run_analyst);
        start(&Impl::run_front);
        start(&Impl::run_explainer);
        if (m_tools && m_tools->solver()) // in a process of its own
            start(&Impl::run_prover);
        for (int i = 0; m_tools && i < std::max(options.threads, 1); ++i)
            start(&Impl::run_compiler);
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
        m_newest = next;
        m_unread = std::move(next);
        m_tasks.clear(); // all of older revisions; the front drops what it waits with
        m_explanations.clear();
        m_proofs.reset();
        m_changed.notify_all();
    }

    void stop() {
        {
            std::lock_guard publishing(m_publisher.mutex);
            std::lock_guard lock(m_mutex);
            m_stopped = true;
            if (m_newest)
                m_newest->cancel();
            m_unread = nullptr;
            m_analysed.reset();
            m_tasks.clear();
            m_explanations.clear();
            m_proofs.reset();
            m_changed.notify_all();
        }
        for (std::thread& thread : m_threads)
            if (thread.joinable())
                thread.join();
    }

private:
    // Who types goes first: the thread that takes the keys, and draws.
    void start(void (Impl::*work)()) {
        m_threads.emplace_back([this, work] {
            lower_priority();
            (this->*work)();
        });
    }

    void run_analyst() {
        AnalysisStage analyst;
        while (auto revision = next_text())
            finish(*revision, [&] {
                const bool is_script = !revision->request().source.by_hand;
                hand_over(is_script ? analyst.run(revision) : analyse_by_hand(revision));
            });
    }

    void run_front() {
        LoweringStage front([this](CompileTask task) { hand_over(std::move(task)); },
                            [this](ExplainTask task) { hand_over(std::move(task)); });
        while (auto script = next_script()) {
            const std::shared_ptr<Revision> revision = script->revision;
            finish(*revision, [&] { front.run(std::move(*script)); });
        }
    }

    void run_compiler() {
        while (auto task = next_task())
            finish(*task->revision, [&] { compile(*task); });
    }

    // Fixes are tried when nobody types any more: each takes an evaluation of the script.
    void run_explainer() {
        Explainer explainer;
        while (auto task = next_explanation())
            finish(*task->revision, [&] {
                if (task->tries_fixes)
                    return explainer.try_fixes(*task);
                const bool may_have_fixes = explainer.explain(*task);
                if (explainer.is_whole() && !task->revision->stopped())
                    prove_later({task->revision, explainer.kernels(), task->sources,
                                 std::chrono::steady_clock::now() + pause_before_proofs});
                if (!may_have_fixes)
                    return;
                ExplainTask next = *task;
                next.tries_fixes = true;
                next.due = std::chrono::steady_clock::now() + pause_before_fixes;
                hand_over(std::move(next));
            });
    }

    void run_prover() {
        while (auto task = next_proofs())
            make_proofs(*task, m_tools);
    }

    void prove_later(ProofTask task) {
        std::lock_guard lock(m_mutex);
        if (m_stopped || task.revision->stopped() || !m_tools || !m_tools->solver())
            return;
        m_proofs = std::move(task);
        m_changed.notify_all();
    }

    std::optional<ProofTask> next_proofs() {
        std::unique_lock lock(m_mutex);
        for (;;) {
            m_changed.wait(lock, [&] { return m_stopped || m_proofs; });
            if (m_stopped)
                return {};
            const std::shared_ptr<Revision> revision = m_proofs->revision;
            if (m_changed.wait_until(lock, m_proofs->due, [&] { return m_stopped || revision->stopped(); }) ||
                !m_proofs || m_proofs->revision != revision)
                continue;
            return std::exchange(m_proofs, std::nullopt);
        }
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

    std::shared_ptr<Revision> next_text() {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return m_stopped || m_unread; });
        return m_stopped ? nullptr : std::exchange(m_unread, nullptr);
    }

    // The one that was analysed, when its pause is over and no newer text has come.
    std::optional<AnalysedScript> next_script() {
        std::unique_lock lock(m_mutex);
        for (;;) {
            m_changed.wait(lock, [&] { return m_stopped || m_analysed; });
            if (m_stopped)
                return {};
            const auto begin = std::chrono::steady_clock::now();
            const std::shared_ptr<Revision> revision = m_analysed->revision;
            if (m_changed.wait_until(lock, revision->due(), [&] { return m_stopped || revision->stopped(); })) {
                if (m_analysed && m_analysed->revision == revision)
                    m_analysed.reset();
                continue;
            }
            revision->paused(milliseconds_since(begin));
            return std::exchange(m_analysed, std::nullopt);
        }
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

    std::optional<ExplainTask> next_explanation() {
        std::unique_lock lock(m_mutex);
        for (;;) {
            m_changed.wait(lock, [&] { return m_stopped || !m_explanations.empty(); });
            if (m_stopped)
                return {};
            const std::shared_ptr<Revision> revision = m_explanations.front().revision;
            const auto due = m_explanations.front().due;
            if (m_changed.wait_until(lock, due, [&] { return m_stopped || revision->stopped(); }))
                continue; // its tasks are gone
            ExplainTask task = std::move(m_explanations.front());
            m_explanations.pop_front();
            return task;
        }
    }

    template <class Task>
    void hand_over(Task task) {
        std::lock_guard lock(m_mutex);
        if (m_stopped || task.revision->stopped())
            return;
        task.revision->begin_work();
        queue(std::move(task));
        m_changed.notify_all();
    }
    void queue(AnalysedScript script) { m_analysed = std::move(script); }
    void queue(CompileTask task) { m_tasks.push_back(std::move(task)); }
    void queue(ExplainTask task) { m_explanations.push_back(std::move(task)); }

    std::shared_ptr<Tools> m_tools;
    Publisher m_publisher;
    std::mutex m_mutex; // of what follows; taken after the publisher's
    std::condition_variable m_changed;
    std::shared_ptr<Revision> m_newest;
    std::shared_ptr<Revision> m_unread;       // for the analyst
    std::optional<AnalysedScript> m_analysed; // for the front
    std::deque<CompileTask> m_tasks;
    std::deque<ExplainTask> m_explanations;
    std::optional<ProofTask> m_proofs; // of kernels that are explained
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
