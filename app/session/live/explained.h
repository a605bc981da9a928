// SPDX-License-Identifier: Apache-2.0
// Why the kernels of a text will be slow, and what it expects of them: what a LiveSnapshot has of app/session/explain.
#pragma once

#include "app/session/explain/contracts.h"

namespace hidet::session {

struct Explained {
    std::vector<KernelExplained> kernels; // of all modules, in their order
    std::vector<ContractView> contracts;
    bool are_fixes_tried = false; // else fixes are to come, or nobody looks for any
};

} // namespace hidet::session
