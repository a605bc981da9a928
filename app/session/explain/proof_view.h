// SPDX-License-Identifier: Apache-2.0
// What is proved of a kernel for all sizes, what is refuted, and what stays open, for people.
#pragma once

#include <string>
#include <vector>

#include "app/session/snapshot/outcome.h"

namespace hidet::session {

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

// The worst verdict of all claims: "proved", "proved if", "open", "refuted".
std::string worst_verdict(const ProvedKernel& proof);
// "races open: line 9: an mbarrier", a line for each claim that is not proved; then "bounds, barriers proved for all sizes".
std::string proof_text(const ProvedKernel& proof);

} // namespace hidet::session
