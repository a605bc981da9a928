// SPDX-License-Identifier: Apache-2.0
// What is proved of the kernels of a script for all sizes, what is refuted, and what stays open (compiler/prove).
#pragma once

#include <string>
#include <vector>

#include "app/session/preview/preview.h"

namespace hidet::session {

struct ProveRequest {
    PreviewRequest preview; // `function`: of this kernel only; its tools know where a solver is
    int unanswered = 3;     // questions of a kernel that the solver may give up; what is not asked then stays open
};

struct ClaimView {
    std::string claim;       // "bounds", "races", "barriers", "alignment"
    std::string verdict;     // "proved", "proved if", "open", "refuted"
    std::int64_t places = 0; // that it is about: accesses, pairs of accesses, barriers
};

struct DoubtView { // a place where a claim is not proved
    std::string claim, verdict;
    Place place, beside; // of a race, the other access
    std::string tensor;
    std::string sentence; // why it is open; the condition; where and when it is refuted
};

struct ProvedKernel {
    int module = 0;
    std::string name;
    Place place;
    std::vector<ClaimView> claims;
    std::vector<DoubtView> doubts;
    std::int64_t questions = 0;
    double seconds = 0; // of the solver
};

struct ProveResult : Outcome {
    std::vector<ProvedKernel> kernels;
    int modules_built = 0;
};

// What is refuted is a mistake of the script. Without a solver: the environment's.
ProveResult prove_script(const ProveRequest& request);

} // namespace hidet::session
