// SPDX-License-Identifier: Apache-2.0
// One form for dimensions that are equal: sums of products of symbols, in one order, so that batch * seq * 64 and
// 64 * (seq * batch) compare equal, and seq * 768 // 64 is seq * 12.
#pragma once

#include <map>
#include <string>

#include "compiler/graph/core/shape.h"

namespace hidet::graph {

// An integer expression over symbols; anything else, and what would grow too long, comes back as it is.
Dim in_one_form(const Dim& dim);

// a <= b for every value that symbols may have, which are not negative, and below what `limits` says of them.
bool surely_at_most(const Dim& a, const Dim& b, const std::map<std::string, Dim>& limits = {});

} // namespace hidet::graph
