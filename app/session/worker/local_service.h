// SPDX-License-Identifier: Apache-2.0
// Does jobs in this process, on one thread of its own. What a worker process does inside, and good for tests: no process is
// started, and a crash is everybody's.
#pragma once

#include <memory>

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
    class Loop;
    std::unique_ptr<Loop> m_loop;
};

} // namespace hidet::session
