// SPDX-License-Identifier: GPL-3.0-only
// Where the studio's jobs are done: compilers in processes of their own, and one worker process for each place where
// scripts run. Tests put services of their own in their place.
#pragma once

#include <functional>
#include <memory>

#include "app/session/worker/service.h"

namespace hidet::session {
class Tools;
}

namespace hidet::ui {

class Settings;

// A worker each: what a kernel on the GPU breaks, the emulator does not notice.
enum class RunPlace { Gpu, Emulator, Remote };
inline constexpr int run_places = 3;

// `changed` is called from threads of the service.
using ServiceMaker = std::function<std::unique_ptr<session::Service>(
    RunPlace place, const Settings& settings, std::function<void(const session::ServiceState&)> changed)>;

ServiceMaker workerProcesses();

// Compilers in as many processes as the settings say, which start and load at once without being waited for.
std::shared_ptr<session::Tools> openCompileWorkers(const Settings& settings);

} // namespace hidet::ui
