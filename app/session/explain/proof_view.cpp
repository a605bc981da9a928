// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/proof_view.h"

#include <algorithm>

#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

static std::string doubts_text(const ProvedKernel& proof, const ClaimView& claim) {
    std::string out;
    for (const DoubtView& doubt : proof.doubts)
        if (doubt.claim == claim.claim && doubt.verdict == claim.verdict) {
            if (claim.verdict != "proved if")
                return cat("line ", doubt.place.line, ": ", doubt.sentence); // the first says enough
            out += cat(out.empty() ? "" : " and ", doubt.sentence);
        }
    return out;
}

std::string worst_verdict(const ProvedKernel& proof) {
    for (const char* verdict : {"refuted", "open", "proved if"})
        if (std::ranges::find(proof.claims, verdict, &ClaimView::verdict) != proof.claims.end())
            return verdict;
    return "proved";
}

std::string proof_text(const ProvedKernel& proof) {
    std::vector<std::string> lines, proved;
    for (const ClaimView& claim : proof.claims) {
        if (claim.verdict == "proved") {
            proved.push_back(claim.claim);
            continue;
        }
        const char* const between = claim.verdict == "proved if" ? " " : ": ";
        lines.push_back(cat(claim.claim, " ", claim.verdict, between, doubts_text(proof, claim)));
    }
    if (!proved.empty())
        lines.push_back(cat(join(proved, ", "), " proved for all sizes"));
    return join(lines, "\n");
}

} // namespace hidet::session
