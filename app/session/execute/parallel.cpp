// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/parallel.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "app/session/work/large_thread.h"

namespace hidet::session {

namespace {

void add_times(Work& to, const Work& from) {
    for (const StageTime& time : from.times) {
        const auto known =
            std::ranges::find_if(to.times, [&](const StageTime& other) { return other.stage == time.stage; });
        if (known == to.times.end())
            to.times.push_back(time);
        else
            known->ms += time.ms;
    }
}

} // namespace

void in_parallel(Work& work, DiagnosticSink& sink, std::size_t count,
                 const std::function<void(std::size_t, Work&)>& body, const std::function<void(std::size_t)>& done) {
    std::deque<Work> works(count);
    for (Work& each : works) {
        each.cancelled = work.cancelled;
        each.fault = work.fault;
        each.stage = work.stage;
    }
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::size_t ended = 0;
    std::exception_ptr failure;
    const auto run = [&] {
        for (std::size_t i = next++; i < count && !work.stopped(); i = next++) {
            try {
                body(i, works[i]);
            } catch (...) {
                const std::lock_guard lock(mutex);
                failure = failure ? failure : std::current_exception();
                work.stage = works[i].stage;
                next = count;
            }
            const std::lock_guard lock(mutex);
            if (++ended; done && !failure)
                done(ended);
        }
    };
    {
        std::deque<LargeThread> threads; // walks of IR recurse
        try {
            for (std::size_t i = 1; i < std::min<std::size_t>(std::thread::hardware_concurrency(), count); ++i)
                threads.emplace_back(run);
        } catch (const std::system_error&) { // those that there are do all of it
        }
        run();
    }
    for (Work& each : works) {
        add_times(work, each);
        work.status = std::max(work.status, each.status);
        for (Diagnostic& diagnostic : each.sink.take())
            sink.report(std::move(diagnostic));
    }
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace hidet::session
