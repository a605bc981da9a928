// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/kernel_watch.h"

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "lang/base/text.h"
#include "runtime/distributed/pause.h"

namespace hidet::distributed {

static constexpr double look_seconds = 0.1; // at the others

// Shared with the thread, which outlives the group where it is about to end the process.
struct KernelWatch::State {
    std::shared_ptr<cuda::Context> context;
    std::shared_ptr<const cuda::Event> launched;
    Patience patience;
    std::mutex mutex;
    std::condition_variable changed;
    bool is_over = false;      // the group is left
    bool has_given_up = false; // the context is lost
    std::thread thread;

    bool is_over_after(double seconds) {
        std::unique_lock lock(mutex);
        return changed.wait_until(lock, after(seconds), [&] { return is_over; });
    }
    bool give_up(const std::string& reason); // false: the group was left just before
    void run(const MeetingGroup& meeting);
    void end_process(const std::string& reason);
};

bool KernelWatch::State::give_up(const std::string& reason) {
    const std::lock_guard lock(mutex);
    if (is_over)
        return false;
    has_given_up = true;
    context->lose({"kernel-timeout", reason});
    return true;
}

void KernelWatch::State::end_process(const std::string& reason) {
    constexpr int exit_environment = 3;
    const Clock::time_point end = after(patience.until_end);
    while (Clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (launched->has_happened())
        return;
    std::fprintf(stderr, "hidet: %s; the process ends, as nothing else ends a kernel\n", reason.c_str());
    cuda::leave_process(exit_environment);
}

void KernelWatch::State::run(const MeetingGroup& meeting) {
    Clock::time_point lost; // when that will be, if the kernel is under way until then
    std::string reason;     // empty: nobody has gone, or no kernel is under way
    if (!context->enter())
        return;
    while (!is_over_after(look_seconds)) {
        const std::string gone = meeting.gone();
        if (gone.empty() || launched->has_happened()) {
            reason.clear();
            continue;
        }
        if (reason.empty()) {
            lost = after(patience.until_lost);
            reason = cat(gone, ", and a kernel of rank ", meeting.rank(), " does not end: it may wait for that");
        }
        if (Clock::now() >= lost && give_up(reason))
            return end_process(reason);
    }
}

Result<std::unique_ptr<KernelWatch>> KernelWatch::start(std::shared_ptr<cuda::Stream> stream,
                                                        const SymmetricMemory& memory, const MeetingGroup& meeting,
                                                        Patience patience) {
    HIDET_TRY(cuda::Event event, cuda::Event::create(stream->shared_context(), false));
    const auto launched = std::make_shared<cuda::Event>(std::move(event));
    auto state = std::make_shared<State>();
    state->context = stream->shared_context();
    state->launched = launched;
    state->patience = patience;
    state->thread = std::thread([state, &meeting] { state->run(meeting); });
    stream->watch({memory.base(), memory.bytes(), launched});
    return std::unique_ptr<KernelWatch>(new KernelWatch(std::move(stream), std::move(state)));
}

KernelWatch::~KernelWatch() {
    m_stream->watch({});
    const bool has_given_up = [&] {
        const std::lock_guard lock(m_state->mutex);
        m_state->is_over = true;
        return m_state->has_given_up;
    }();
    m_state->changed.notify_all();
    if (has_given_up)
        m_state->thread.detach();
    else
        m_state->thread.join();
}

} // namespace hidet::distributed
