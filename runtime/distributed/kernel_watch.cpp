// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/kernel_watch.h"

#include <cstdio>
#include <thread>

#include "lang/base/text.h"
#include "runtime/distributed/lookout.h"

namespace hidet::distributed {

// Shared with the thread that is about to end the process.
struct KernelWatch::State {
    std::shared_ptr<cuda::Context> context;
    std::shared_ptr<const cuda::Event> launched;
    Patience patience;
    Clock::time_point lost = {}; // when that will be, if the kernel is under way until then
    std::string reason = {};     // empty: nobody has gone, or no kernel is under way

    bool is_lost(const MeetingGroup& meeting); // from now on
    void end_process() const;
};

bool KernelWatch::State::is_lost(const MeetingGroup& meeting) {
    const std::string gone = meeting.gone();
    if (gone.empty() || !context->enter() || launched->has_happened()) {
        reason.clear();
        return false;
    }
    if (reason.empty()) {
        lost = after(patience.until_lost);
        reason = cat(gone, ", and a kernel of rank ", meeting.rank(), " does not end: it may wait for that");
    }
    return Clock::now() >= lost;
}

void KernelWatch::State::end_process() const {
    constexpr int exit_environment = 3;
    const Clock::time_point end = after(patience.until_end);
    std::this_thread::sleep_until(end);
    if (launched->has_happened())
        return;
    std::fprintf(stderr, "hidet: %s; the process ends, as nothing else ends a kernel\n", reason.c_str());
    cuda::leave_process(exit_environment);
}

KernelWatch::KernelWatch(std::shared_ptr<cuda::Stream> stream, std::unique_ptr<Lookout> lookout)
    : m_stream(std::move(stream)), m_lookout(std::move(lookout)) {}

KernelWatch::~KernelWatch() {
    m_stream->watch({});
}

Result<std::unique_ptr<KernelWatch>> KernelWatch::start(std::shared_ptr<cuda::Stream> stream,
                                                        const SymmetricMemory& memory, const MeetingGroup& meeting,
                                                        Patience patience) {
    HIDET_TRY(cuda::Event event, cuda::Event::create(stream->shared_context(), false));
    const auto launched = std::make_shared<cuda::Event>(std::move(event));
    const auto state = std::make_shared<State>(State{stream->shared_context(), launched, patience});
    stream->watch({memory.base(), memory.bytes(), launched});
    auto lookout = std::make_unique<Lookout>([state, &meeting] {
        if (!state->is_lost(meeting))
            return true;
        std::thread([state] { state->end_process(); }).detach();
        state->context->lose({"kernel-timeout", state->reason});
        return false;
    });
    return std::unique_ptr<KernelWatch>(new KernelWatch(std::move(stream), std::move(lookout)));
}

} // namespace hidet::distributed
