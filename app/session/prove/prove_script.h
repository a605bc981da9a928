// SPDX-License-Identifier: Apache-2.0
// What is proved of the kernels of a script for all sizes, what is refuted, and what stays open (compiler/prove).
#pragma once

#include <vector>

#include "app/session/explain/proof_view.h"
#include "app/session/preview/preview.h"

namespace hidet::session {

struct ProveRequest {
    PreviewRequest preview; // `function`: of this kernel only; its tools know where a solver is
    int unanswered = 3;     // questions of a kernel that the solver may give up; what is not asked then stays open
};

struct ProveResult : Outcome {
    std::vector<ProvedKernel> kernels;
    int modules_built = 0;
};

// What is refuted is a mistake of the script. Without a solver: the environment's.
ProveResult prove_script(const ProveRequest& request);

} // namespace hidet::session
