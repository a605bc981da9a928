// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/run_services.h"

#include "app/session/session.h"
#include "app/session/worker/compile_pool.h"
#include "app/session/worker/worker_service.h"
#include "app/ui/core/settings.h"

namespace hidet::ui {

ServiceMaker workerProcesses() {
    return [](RunPlace place, const Settings& settings, std::function<void(const session::ServiceState&)> changed) {
        session::WorkerOptions options;
        options.state_changed = std::move(changed);
        if (place == RunPlace::Emulator) {
            options.command = session::default_worker_command();
            options.command.emplace_back("--no-gpu");
        }
        if (place == RunPlace::Remote)
            options.command = session::shell_command(settings.text(Setting::RemoteWorker).toStdString());
        return std::unique_ptr<session::Service>(new session::WorkerService(std::move(options)));
    };
}

std::shared_ptr<session::Tools> openCompileWorkers(const Settings& settings) {
    const int count = settings.number(Setting::CompileWorkers);
    if (count == 0)
        return session::open_tools();
    session::PoolOptions options;
    options.workers = std::min(count, 16);
    auto pool = std::make_shared<session::CompilePool>(std::move(options));
    pool->start();
    return session::open_tools({std::move(pool)});
}

} // namespace hidet::ui
