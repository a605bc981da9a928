// SPDX-License-Identifier: Apache-2.0
// Edits of a script that may cure an access. They are guesses from its text: who offers one tries it first.
#pragma once

#include <array>
#include <map>

#include "app/session/explain/explain.h"

namespace hidet::session {

struct KernelText {
    const Source& source;
    std::string name;
    int line = 0; // of its 'def'
    std::array<std::int64_t, 3> block{1, 1, 1};
    std::map<std::string, std::string> dtypes; // of the tensors that it accesses, by name
};

// The better ones first; each is one cure.
std::vector<std::vector<FixView>> possible_fixes(const AccessView& view, const KernelText& kernel);

} // namespace hidet::session
