// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/run.h"

#include "app/session/kernel_bench/run_ranks.h"
#include "app/session/kernel_bench/script_checks.h"
#include "app/session/script/script_run.h"
#include "runtime/cuda/stream.h"

namespace hidet::session {

static void run_into(Work& work, const RunRequest& request, RunResult& result) {
    ScriptEngine engine(work, request);
    if (!engine.has_wanted_gpu() || !engine.may_replace())
        return;
    EvaluatedScript script = run_script(work, request, engine); // dies before the engine that it may call
    if (!work.sink.has_errors())
        engine.report_unknown_kernels();
    result.summary = engine.summary();
    result.verdict = verdict_of_checks(work, request.source, 0);
    result.comparisons = failed_check(work, engine, 0);
}

void leave_process(int exit_code) {
    cuda::leave_process(exit_code);
}

RunResult run(const RunRequest& request) {
    if (request.ranks > 1 && !request.place.team)
        return run_ranks(request);
    Work work = work_for(cat("run ", request.source.name, " --seed ", request.seed), request.cancelled, request.fault);
    RunResult result;
    guarded(work, [&] { run_into(work, request, result); });
    finish(work, result);
    return result;
}

} // namespace hidet::session
