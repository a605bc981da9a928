// SPDX-License-Identifier: Apache-2.0
#include "app/session/fleet/fleet.h"

#include <algorithm>

#include <unistd.h>

#include "app/session/worker/remote_workers.h"
#include "app/session/worker/worker_service.h"
#include "lang/base/text.h"
#include "lang/base/text_hash.h"
#include "lang/base/transformed.h"

namespace hidet::session {

namespace {

struct Scheduler {
    const char* name;
    Result<Fleet> (*open)(int workers);
};
constexpr Scheduler schedulers[] = {{"slurm", slurm_fleet}, {"ray", ray_fleet}};

} // namespace

Result<FleetSettings> fleet_settings(const std::string& name) {
    HIDET_TRY(const std::vector<std::string> line, words_of_fleet(name));
    const auto dashes = std::ranges::find(line, "--");
    FleetSettings settings{{line.begin(), dashes}, {}};
    if (dashes != line.end())
        settings.worker.assign(dashes + 1, line.end());
    if (settings.worker.empty())
        settings.worker = default_worker_command();
    return settings;
}

Result<Fleet> fleet_named(const std::string& name, int workers) {
    const auto* found = std::ranges::find(schedulers, name, &Scheduler::name);
    HIDET_CHECK(found != std::end(schedulers), "there is no such fleet");
    return found->open(workers);
}

std::vector<std::string> fleet_names() {
    return transformed<std::string>(schedulers, &Scheduler::name);
}

std::string random_hex(std::size_t bytes) {
    std::string drawn(bytes, '\0');
    HIDET_CHECK(::getentropy(drawn.data(), drawn.size()) == 0, "the system gives no random bytes");
    return hex_digits(drawn);
}

} // namespace hidet::session
