// SPDX-License-Identifier: Apache-2.0
// What the verbs that run something have in common: run, emulate, bench, try, model.
#pragma once

#include <atomic>

#include "app/cli/options.h"
#include "app/session/session.h"

namespace hidet::cli {

inline void prepare_run(session::RunRequest& request, const SourceOptions& source, const RunOptions& run,
                        const TargetOptions& target, const std::atomic<bool>& cancelled) {
    request.target = target.target;
    request.seed = run.seed;
    request.max_steps = run.max_steps;
    request.max_bytes = static_cast<std::uint64_t>(run.max_memory * (1 << 30));
    request.kernel_seconds = target.timeout;
    request.checks_bounds = !target.unchecked;
    request.contracts = !target.no_contraction;
    request.fault = source.fault;
    request.cancelled = &cancelled;
}

} // namespace hidet::cli
