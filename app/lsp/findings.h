// SPDX-License-Identifier: Apache-2.0
// What the studio writes into the margin beside a line, as diagnostics: accesses that leave their tensors, that move more than they
// would have to, contracts that are broken.
#pragma once

#include <string>
#include <vector>

#include "app/session/live/explained.h"

namespace hidet::lsp {

struct Finding {
    session::DiagnosticView diagnostic;
    std::vector<session::FixView> repair; // edits that belong together; the script was tried with them
};

// Of the places in `file`.
std::vector<Finding> findings_of(const session::Explained& explained, const std::string& file);

} // namespace hidet::lsp
