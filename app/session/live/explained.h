// SPDX-License-Identifier: Apache-2.0
// Why the kernels of a text will be slow, and what it expects of them: what a LiveSnapshot has of app/session/explain.
#pragma once

#include <memory>

#include "app/session/prove/contracts.h"

namespace hidet::session {

struct ExplainedSource; // explain/explained_source.h

struct Explained {
    std::vector<KernelExplained> kernels;                        // of all modules, in their order
    std::vector<std::shared_ptr<const ExplainedSource>> sources; // of each kernel: what more can be asked of it
    std::vector<ContractView> contracts;
    bool are_fixes_tried = false; // else fixes are to come, or nobody looks for any
};

} // namespace hidet::session
