// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/compile_workers.h"

#include "app/session/worker/compile_pool.h"
#include "app/ui/core/settings.h"

namespace hidet::ui {

std::shared_ptr<session::Tools> openCompileWorkers(const Settings& settings) {
    session::PoolOptions options;
    options.workers = std::clamp(settings.number(Setting::CompileWorkers), 1, 16);
    auto pool = std::make_shared<session::CompilePool>(std::move(options));
    pool->start();
    return session::open_tools({.compilers = pool, .solver = pool});
}

} // namespace hidet::ui
