// SPDX-License-Identifier: Apache-2.0
// Who does jobs: threads of this process (local_service.h) or a process of its own, which a crash, a hang or a device
// error may cost without harm (worker_service.h).
//
// Every job that is submitted ends with exactly one call of its `on_done`, whatever happens to whoever does it: also when
// it is cancelled, when the worker dies, and when the service is destroyed. `on_event` is called in order, and never after
// `on_done`. All calls come from a thread of the service, never from within submit() or cancel(), with no lock held; they
// may submit and cancel, and must not wait or destroy the service: a window posts them to its own thread.
// Jobs are done one after the other, in the order in which they came. submit(), cancel(), state() and restart() are for
// any thread and do not wait.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "app/session/worker/jobs.h"

namespace hidet::session {

using Ticket = std::uint64_t; // of a job, never 0, never used twice by a service

struct ServiceState {
    enum class Phase : std::uint8_t {
        Resting,  // no process yet, or none any more: the next job starts one
        Starting, // until the worker has said hello
        Idle,
        Busy,
        Lost,   // the worker was lost, `reason` says how; the next job starts another
        Broken, // it was lost too often in a row: jobs end at once until restart()
    };
    Phase phase = Phase::Resting;
    std::chrono::steady_clock::time_point since; // in this phase
    std::string doing;                           // Busy: the job's title
    int waiting = 0;                             // jobs that have not begun
    // Lost and Broken: why. In other phases: why the worker before this one was replaced, until a job succeeds.
    std::string reason;
    std::string last_words; // what the lost worker last wrote to standard error
    std::string host;       // of the worker, once it has said hello
    int workers = 0;        // how many were started
};

class Service {
public:
    using OnEvent = std::function<void(const JobEvent&)>;
    using OnDone = std::function<void(Answer)>;

    virtual ~Service() = default; // ends all jobs with Ended::Cancelled; no call comes later
    // Either function may be empty.
    virtual Ticket submit(Job job, OnEvent on_event, OnDone on_done) = 0;
    // The job ends soon, as Ended::Cancelled unless it was done already. A ticket that is not known is passed over.
    virtual void cancel(Ticket ticket) = 0;
    virtual ServiceState state() const = 0;
    // Ends the process, if there is one, and with it the job in hand; the next job starts a fresh one. Mends Broken.
    virtual void restart() = 0;
};

} // namespace hidet::session
