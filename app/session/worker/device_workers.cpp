// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/device_workers.h"

namespace hidet::session {

ServiceMaker worker_processes(WorkerOptions each) {
    return [each](WorkerPlace place, const std::vector<std::string>& command,
                  std::function<void(const ServiceState&)> changed) {
        WorkerOptions options = each;
        options.state_changed = std::move(changed);
        options.is_remote = place == WorkerPlace::Remote;
        if (options.is_remote)
            options.command = command;
        else if (options.command.empty())
            options.command = default_worker_command();
        if (place == WorkerPlace::Host)
            options.command.emplace_back("--no-gpu");
        return std::unique_ptr<Service>(new WorkerService(std::move(options)));
    };
}

static std::size_t index_of(WorkerPlace place) {
    return static_cast<std::size_t>(place);
}

DeviceWorkers::DeviceWorkers(ServiceMaker make, std::function<void(WorkerPlace)> changed)
    : m_make(std::move(make)), m_changed(std::move(changed)) {}

DeviceWorkers::~DeviceWorkers() = default;

Service& DeviceWorkers::at(WorkerPlace place) {
    std::unique_ptr<Service>& service = m_services[index_of(place)];
    if (!service)
        service = m_make(place, m_remote, [this, place](const ServiceState&) {
            if (m_changed)
                m_changed(place);
        });
    return *service;
}

ServiceState DeviceWorkers::state(WorkerPlace place) const {
    const auto& service = m_services[index_of(place)];
    return service ? service->state() : ServiceState{};
}

void DeviceWorkers::restart(WorkerPlace place) {
    if (m_services[index_of(place)])
        m_services[index_of(place)]->restart();
}

void DeviceWorkers::set_remote(std::vector<std::string> command) {
    if (command == m_remote)
        return;
    m_remote = std::move(command);
    m_services[index_of(WorkerPlace::Remote)] = nullptr; // the next job starts the other command
}

} // namespace hidet::session
