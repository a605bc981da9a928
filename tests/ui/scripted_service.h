// SPDX-License-Identifier: GPL-3.0-only
// A service that takes jobs and answers when the test says so.
#pragma once

#include <memory>

#include <QList>

#include "app/session/worker/device_workers.h"

namespace hidet::ui::test {

class ScriptedService : public session::Service {
public:
    struct Item {
        session::Ticket ticket = 0;
        session::Job job;
        OnEvent onEvent;
        OnDone onDone;
    };
    struct Log {
        QList<std::shared_ptr<Item>> jobs;
        QList<session::Ticket> cancelled;
        session::ServiceState state;
        int restarts = 0;
        int made = 0;
    };
    explicit ScriptedService(Log& log) : m_log(log) { ++m_log.made; }

    session::Ticket submit(session::Job job, OnEvent onEvent, OnDone onDone) override {
        m_log.jobs << std::make_shared<Item>(
            Item{session::Ticket(m_log.jobs.size() + 1), std::move(job), std::move(onEvent), std::move(onDone)});
        return m_log.jobs.last()->ticket;
    }
    void cancel(session::Ticket ticket) override { m_log.cancelled << ticket; }
    session::ServiceState state() const override { return m_log.state; }
    void restart() override { ++m_log.restarts; }

private:
    Log& m_log;
};

inline session::ServiceMaker scripted(ScriptedService::Log& log) {
    return [&log](session::WorkerPlace, const std::string&, auto) {
        return std::unique_ptr<session::Service>(new ScriptedService(log));
    };
}

} // namespace hidet::ui::test
