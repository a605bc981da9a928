// SPDX-License-Identifier: Apache-2.0
// What is said of what a call computes.
#pragma once

#include <cstdint>
#include <string>

namespace hidet::session {

enum class VerdictKind : std::uint8_t {
    Correct,   // every written tensor agrees with the reference
    Wrong,     // one does not, or a check failed
    Invalid,   // nothing was found wrong, but what was found is worth nothing: the sentence says why
    Unchecked, // it ran; there was nothing to compare with
    Failed,    // it did not run, or the reference did not: the diagnostics say why
};
const char* verdict_name(VerdictKind kind); // "correct"

struct Verdict {
    VerdictKind kind = VerdictKind::Failed;
    std::string sentence; // for people: "wrong: 3 of 6144 elements of 'c', the first at [63, 95]"
};

} // namespace hidet::session
