// SPDX-License-Identifier: Apache-2.0
// The places where scripts run, each with a worker of its own: what one kernel breaks, the others do not notice.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session/worker/worker_service.h"

namespace hidet::session {

struct DeviceTarget {
    std::string name;            // for people, and different from all others
    std::string command;         // a line that a shell reads: "ssh gpu-server hidetc worker"; empty: this machine
    bool use_gpu = true;         // of this machine; false: kernels are emulated, CPU functions are compiled
    Target place = Target::Auto; // what a RunRequest for it says
    friend bool operator==(const DeviceTarget&, const DeviceTarget&) = default;
};
// "local GPU" and "emulator and CPU".
std::vector<DeviceTarget> local_targets();

struct DeviceOptions {
    std::vector<DeviceTarget> targets = local_targets();
    WorkerOptions worker = {}; // of each, but for its command and its callback
    std::function<void(const std::string& target, const ServiceState&)> state_changed; // from a thread of a service
};

// For one thread, the one that made it. No process is started before a target has a job.
class DeviceWorkers {
public:
    explicit DeviceWorkers(DeviceOptions options = {});
    ~DeviceWorkers(); // ends all jobs and all processes

    std::vector<DeviceTarget> targets() const;
    WorkerService* find(const std::string& target); // null: there is none of that name
    // When the settings change: a target that stays as it is keeps its worker and its jobs.
    void set_targets(std::vector<DeviceTarget> targets);

private:
    struct Entry;
    std::unique_ptr<Entry> make(DeviceTarget target) const;

    DeviceOptions m_options;
    std::vector<std::unique_ptr<Entry>> m_entries;
};

} // namespace hidet::session
