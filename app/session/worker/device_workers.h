// SPDX-License-Identifier: Apache-2.0
// The places where scripts and models run, each with a worker of its own: what one kernel breaks, the others do not notice.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "app/session/snapshot/targets.h"
#include "app/session/worker/worker_service.h"

namespace hidet::session {

// `command` is that of a remote worker. `changed` is called from threads of the service.
using ServiceMaker = std::function<std::unique_ptr<Service>(WorkerPlace place, const std::vector<std::string>& command,
                                                            std::function<void(const ServiceState&)> changed)>;
ServiceMaker worker_processes(WorkerOptions each = {}); // but for the command of the remote one, and their callbacks

// For one thread, the one that made it. No process is started before a place has a job.
class DeviceWorkers {
public:
    explicit DeviceWorkers(ServiceMaker make,
                           std::function<void(WorkerPlace)> changed = {}); // called as ServiceMaker says
    ~DeviceWorkers();                                                      // ends all jobs and all processes

    Service& at(WorkerPlace place);
    ServiceState state(WorkerPlace place) const;
    void restart(WorkerPlace place);
    void set_remote(std::vector<std::string> command); // another one ends the jobs of the worker that there was

private:
    const ServiceMaker m_make;
    const std::function<void(WorkerPlace)> m_changed;
    std::vector<std::string> m_remote;
    std::array<std::unique_ptr<Service>, worker_places> m_services; // last: they call back until they are gone
};

} // namespace hidet::session
