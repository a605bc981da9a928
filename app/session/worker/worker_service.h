// SPDX-License-Identifier: Apache-2.0
// Does jobs in a process, started with the first job and again whenever it was lost. One thread of this process talks to
// it; nothing that the other side does or sends makes that thread wait, grow without limit, or fail.
//
// The process leads a process group of its own. It is killed, with all that it started, when a job takes longer than it
// may, when it gives no sign of life, when what it sends makes no sense, when a cancelled job does not end in its time of
// grace, and when the service is destroyed. If this process dies first, it leaves by itself.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session/worker/service.h"

namespace hidet::session {

struct WorkerOptions {
    // The program and its arguments; empty: 'hidetc worker' from beside this program.
    std::vector<std::string> command;
    bool warm_up = false;    // load compilers at once
    bool steps_back = false; // it leaves the processor to others that want it; not for what is measured
    bool keep_ready = false; // replace a lost worker at once, not with the next job (not after a failed start)
    // It is on another machine: files of jobs are read and written here, and a job for which that machine, as it says of itself
    // beforehand, is not enough is refused before it is sent.
    bool is_remote = false;
    double start_seconds = 30;  // until the worker has said hello; `ssh` may ask for time
    double ping_seconds = 1;    // between questions whether a busy worker is alive
    double silent_seconds = 10; // without a sign of life
    double grace_seconds = -1;  // for cancelled jobs; below 0: what jobs.def says
    int deaths = 3;             // so many within `death_seconds`, and no job succeeded in between: broken
    double death_seconds = 10;
    std::function<void(const ServiceState&)> state_changed; // from the service's thread
};

// 'hidetc worker' beside the running program; else the one on PATH.
std::vector<std::string> default_worker_command();

class WorkerService final : public Service {
public:
    explicit WorkerService(WorkerOptions options = {});
    ~WorkerService() override;

    Ticket submit(Job job, OnEvent on_event, OnDone on_done) override;
    void cancel(Ticket ticket) override;
    ServiceState state() const override;
    void restart() override;
    void start(); // the process, if there is none: so that the first job need not wait for it

private:
    class Loop;
    std::unique_ptr<Loop> m_loop;
};

} // namespace hidet::session
