// SPDX-License-Identifier: Apache-2.0
// What the verbs that run something have in common: run, emulate, bench, try, model.
#pragma once

#include <atomic>
#include <string>

#include "app/cli/options.h"
#include "app/session/session.h"
#include "app/session/snapshot/targets.h"

namespace hidet::cli {

inline session::Target target_of(const std::string& name) {
    return session::target_named(name).value_or(session::Target::Auto);
}

inline void prepare_run(session::RunRequest& request, const SourceOptions& source, const RunOptions& run,
                        const TargetOptions& target, const std::atomic<bool>& cancelled) {
    request.target = target_of(target.target);
    request.seed = run.seed;
    request.max_steps = run.max_steps;
    request.kernel_seconds = target.timeout;
    request.tools = session::open_tools();
    request.fault = source.fault;
    request.cancelled = &cancelled;
}

} // namespace hidet::cli
