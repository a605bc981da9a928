// SPDX-License-Identifier: Apache-2.0
// Proves the kernels of a text that nobody has changed for a while, and publishes each proof as it is made. The revision counts as
// complete without: a proof may take as long as a person reads.
#pragma once

#include <chrono>

#include "app/session/explain/kernel_prover.h"
#include "app/session/live/explanation.h"
#include "app/session/live/revision.h"

namespace hidet::session {

struct ProofTask {
    std::shared_ptr<Revision> revision;
    std::vector<FoundKernel> kernels; // of all modules, in their order
    std::shared_ptr<const SourceMap> sources;
    std::chrono::steady_clock::time_point due{};
};

inline void make_proofs(const ProofTask& task, const std::shared_ptr<Tools>& tools) {
    Revision& revision = *task.revision;
    Work work = work_for("prove", revision.preview());
    work.sources = *task.sources;
    work.cancelled = &revision.cancelled();
    guarded(work, [&] {
        const Result<KernelProver> prover = KernelProver::open(tools);
        std::size_t first = 0; // kernel of its module
        for (std::size_t i = 0; prover && i < task.kernels.size(); ++i) {
            const FoundKernel& found = task.kernels[i];
            if (i > 0 && found.number != task.kernels[i - 1].number)
                first = i;
            ProvedKernel proof = prover.value().prove(found, work, &work.sink);
            if (revision.stopped()) // which left it unfinished
                return;
            revision.publish([&](LiveSnapshot& state) {
                state.refuted = views_of(work);
                revision.explanation().set_proof(static_cast<std::size_t>(found.number) - 1, i - first,
                                                 std::move(proof));
            });
        }
    });
}

} // namespace hidet::session
