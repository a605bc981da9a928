// SPDX-License-Identifier: Apache-2.0
// Ray starts jobs, but joins nobody's streams to them. So each worker's command is a process of this machine that has Ray start
// the worker and waits for its call (ray_relay.h).
#include "app/session/fleet/fleet.h"
#include "app/session/fleet/ray_jobs.h"
#include "app/session/worker/worker_service.h"

namespace hidet::session {

Result<Fleet> ray_fleet(int workers) {
    HIDET_TRY(const RaySettings settings, ray_settings());
    const RayJobs ray(settings);
    HIDET_TRY_TO(ray.look());
    const std::string name = "hidet-" + random_hex(8);
    std::vector<std::string> command = default_worker_command();
    command.push_back("--ray-job=" + name);
    Fleet fleet{"ray", std::vector(static_cast<std::size_t>(workers), command)};
    fleet.end = [ray, name] {
        for (const std::string& id : ray.running(name))
            ray.stop(id);
    };
    return fleet;
}

} // namespace hidet::session
