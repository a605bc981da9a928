// SPDX-License-Identifier: Apache-2.0
// How well a typed pattern fits a name. Completion, the command palette and quick open rank by it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lang/service/range.h"

namespace hidet::lang::service {

struct FuzzyMatch {
    int score = 0;              // higher is better; comparable between candidates of one pattern
    std::vector<Range> matches; // bytes of the candidate, in order, neighbours joined
};

// Nothing when the pattern's characters do not occur in this order. Case counts little: exact > prefix > starts of words
// ("tcm" in tensor_core_matmul, "tI" in threadIdx) > a part of the name > scattered characters; ties go to the shorter
// candidate; scattered ones begin at the start of a word. An empty pattern fits everything with score 0. Blanks in the pattern are skipped.
std::optional<FuzzyMatch> fuzzy_score(std::string_view pattern, std::string_view candidate);

} // namespace hidet::lang::service
