// SPDX-License-Identifier: Apache-2.0
#include "app/session/prove/prove_script.h"

#include "app/session/explain/kernel_prover.h"

namespace hidet::session {

ProveResult prove_script(const ProveRequest& request) {
    Work work = work_for("prove", request.preview);
    ProveResult out;
    guarded(work, [&] {
        const Result<KernelProver> prover = KernelProver::open(request.preview.tools, request.unanswered);
        if (!prover) {
            work.sink.report(Diagnostic::make(DiagId::SolverMissing, {}, prover.error().message));
            work.status = Status::Environment;
            return;
        }
        ExplainRequest explained;
        explained.preview = request.preview;
        const std::vector<FoundKernel> kernels = find_kernels(work, explained, out.modules_built);
        if (kernels.empty())
            report_not_found(work, request.preview, out.modules_built);
        work.enter("proving");
        for (const FoundKernel& kernel : kernels)
            if (!work.stopped())
                out.kernels.push_back(prover.value().prove(kernel, work, &work.sink));
    });
    finish(work, out);
    return out;
}

} // namespace hidet::session
