// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/workers.h"

#include "app/ui/core/run_target.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

// Rung from threads of services; once for all that has changed since the GUI thread last came by.
struct Workers::Bell {
    std::atomic<bool> rung = false;
};

RunPlace placeOf(const QString& target) {
    const RunTarget& row = runTarget(target);
    if (row.isRemote)
        return RunPlace::Remote;
    return session::info(row.target).gpu == session::GpuUse::None ? RunPlace::Emulator : RunPlace::Gpu;
}

Workers::Workers(Studio& studio, ServiceMaker make)
    : m_studio(studio), m_make(make ? std::move(make) : workerProcesses()), m_bell(std::make_shared<Bell>()) {
    connect(&studio.settings, &Settings::changed, this, [this](Setting setting) {
        if (setting != Setting::RemoteWorker)
            return;
        m_services[int(RunPlace::Remote)] = nullptr; // the next run starts the other command
        emit changed();
    });
}

Workers::~Workers() {
    for (auto& service : m_services)
        service = nullptr;
}

session::Service& Workers::service(RunPlace place) {
    auto& service = m_services[int(place)];
    if (!service)
        service = m_make(place, m_studio.settings, [this, bell = m_bell](const session::ServiceState&) {
            if (bell->rung.exchange(true))
                return;
            QMetaObject::invokeMethod(
                this,
                [this, bell] {
                    bell->rung = false;
                    emit changed();
                },
                Qt::QueuedConnection);
        });
    return *service;
}

session::ServiceState Workers::state(RunPlace place) const {
    const auto& service = m_services[int(place)];
    return service ? service->state() : session::ServiceState{};
}

void Workers::restart(RunPlace place) {
    if (m_services[int(place)])
        m_services[int(place)]->restart();
    m_studio.say(tr("The worker starts afresh with the next run"));
    emit changed();
}

void Workers::occupy(const QString& who) {
    if (m_occupant == who)
        return;
    m_occupant = who;
    emit changed();
}

} // namespace hidet::ui
