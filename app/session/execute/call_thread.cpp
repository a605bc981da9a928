// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/call_thread.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include "app/session/work/large_thread.h"

namespace hidet::session {

namespace {
using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds between_looks{20}; // at the token
} // namespace

struct CallThread::State {
    void work();

    std::mutex mutex;
    std::condition_variable changed;
    std::function<void()> body; // there is a call
    std::exception_ptr thrown;
    bool is_leaving = false;
    std::mutex door; // held while the body reaches out; of the next
    bool was_left = false;
    std::unique_ptr<LargeThread> thread;
};

void CallThread::State::work() {
    std::unique_lock lock(mutex);
    for (;;) {
        changed.wait(lock, [this] { return is_leaving || body; });
        if (is_leaving)
            return;
        lock.unlock();
        std::exception_ptr caught;
        try {
            body();
        } catch (...) {
            caught = std::current_exception();
        }
        lock.lock();
        body = nullptr;
        thrown = caught;
        changed.notify_all();
    }
}

CallThread::CallThread() : m_state(std::make_shared<State>()) {
    m_state->thread = std::make_unique<LargeThread>([state = m_state.get()] { state->work(); });
}

CallThread::~CallThread() {
    if (m_state->was_left) { // its thread keeps it, for good
        new std::shared_ptr<State>(m_state);
        return;
    }
    {
        std::lock_guard lock(m_state->mutex);
        m_state->is_leaving = true;
        m_state->changed.notify_all();
    }
    m_state->thread.reset();
}

CallThread::Ended CallThread::run(std::function<void()> body, double seconds, const std::atomic<bool>* cancelled) {
    State& state = *m_state;
    const auto start = Clock::now();
    Ended ended = Ended::Returned;
    {
        std::unique_lock lock(state.mutex);
        state.body = std::move(body);
        state.changed.notify_all();
        while (!state.changed.wait_for(lock, between_looks, [&] { return !state.body; })) {
            if (cancelled && cancelled->load(std::memory_order_relaxed))
                ended = Ended::Cancelled;
            else if (seconds > 0 && Clock::now() - start > std::chrono::duration<double>(seconds))
                ended = Ended::TimedOut;
            if (ended != Ended::Returned)
                break;
        }
        if (ended == Ended::Returned) {
            if (const std::exception_ptr thrown = std::exchange(state.thrown, nullptr))
                std::rethrow_exception(thrown);
            return ended;
        }
    }
    std::lock_guard lock(state.door);
    state.was_left = true;
    return ended;
}

CallThread::Door CallThread::door() const {
    return [state = m_state](const std::function<void()>& body) {
        std::lock_guard lock(state->door);
        if (!state->was_left)
            body();
    };
}

} // namespace hidet::session
