// SPDX-License-Identifier: Apache-2.0
// Which module of a script is which one of the script before an edit.
#pragma once

#include <string>
#include <vector>

namespace hidet::session {

struct ModuleFace {
    std::vector<std::string> functions;
    int line = 0; // that builds it
};

// For each module of `now` the index of its predecessor in `before`, or -1. Same names of functions first (the first with
// the first, if several have them), then the same line, then a name in common, then the one that is left on both sides.
std::vector<int> match_modules(const std::vector<ModuleFace>& before, const std::vector<ModuleFace>& now);

} // namespace hidet::session
