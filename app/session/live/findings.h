// SPDX-License-Identifier: Apache-2.0
// What is known of accesses and contracts before anything runs, as it belongs to the lines of a text: of all kernels that a line
// is part of, and of all accesses in it, the worst.
#pragma once

#include <string>
#include <vector>

#include "app/session/live/explained.h"

namespace hidet::session {

struct LineFindings {                           // by line
    std::vector<const BoundsAccess*> leaving;   // their tensors, one of each line
    std::vector<const AccessView*> costly;      // with a finding, one of each line and memory
    std::vector<const ContractView*> contracts; // one of each clause: that of the kernel which keeps it least
};

// Of the places in `file`.
LineFindings line_findings(const Explained& explained, const std::string& file);

} // namespace hidet::session
