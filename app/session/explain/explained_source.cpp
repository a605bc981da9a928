// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/explained_source.h"

#include "app/session/work/work.h"
#include "compiler/perf/waves.h"

namespace hidet::session {

WavesView waves_of(const ExplainedSource& source, const CostView& cost, const std::atomic<bool>* cancelled) {
    WavesView out;
    Work work = work_for("waves of " + source.kernel->name, cancelled);
    work.enter("following the blocks of waves");
    guarded(work, [&] {
        out = perf::waves_of(*source.module, *source.kernel, *source.script, source.sizes, source.target, cost,
                             cancelled);
    });
    if (work.sink.has_errors())
        out.unknown = work.sink.all().front().message;
    return out;
}

} // namespace hidet::session
