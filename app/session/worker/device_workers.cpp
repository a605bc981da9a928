// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/device_workers.h"

#include <algorithm>

namespace hidet::session {

struct DeviceWorkers::Entry {
    DeviceTarget target;
    WorkerService service;
};

std::vector<DeviceTarget> local_targets() {
    return {{"local GPU", "", true, Target::Cuda}, {"emulator and CPU", "", false, Target::Auto}};
}

DeviceWorkers::DeviceWorkers(DeviceOptions options) : m_options(std::move(options)) {
    set_targets(m_options.targets);
}

DeviceWorkers::~DeviceWorkers() = default;

std::unique_ptr<DeviceWorkers::Entry> DeviceWorkers::make(DeviceTarget target) const {
    WorkerOptions worker = m_options.worker;
    if (!target.command.empty())
        worker.command = shell_command(target.command);
    else if (worker.command.empty())
        worker.command = default_worker_command();
    if (target.command.empty() && !target.use_gpu)
        worker.command.emplace_back("--no-gpu");
    if (m_options.state_changed)
        worker.state_changed = [name = target.name, changed = m_options.state_changed](const ServiceState& state) {
            changed(name, state);
        };
    return std::unique_ptr<Entry>(new Entry{std::move(target), WorkerService(std::move(worker))});
}

std::vector<DeviceTarget> DeviceWorkers::targets() const {
    std::vector<DeviceTarget> targets;
    for (const auto& entry : m_entries)
        targets.push_back(entry->target);
    return targets;
}

WorkerService* DeviceWorkers::find(const std::string& target) {
    for (const auto& entry : m_entries)
        if (entry->target.name == target)
            return &entry->service;
    return nullptr;
}

void DeviceWorkers::set_targets(std::vector<DeviceTarget> targets) {
    std::vector<std::unique_ptr<Entry>> before = std::move(m_entries);
    m_entries.clear();
    for (DeviceTarget& target : targets) {
        if (find(target.name))
            continue; // the first of a name counts
        auto same = std::find_if(before.begin(), before.end(),
                                 [&](const auto& entry) { return entry && entry->target == target; });
        m_entries.push_back(same != before.end() ? std::move(*same) : make(std::move(target)));
    }
}

} // namespace hidet::session
