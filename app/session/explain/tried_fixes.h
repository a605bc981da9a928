// SPDX-License-Identifier: Apache-2.0
// Fixes of accesses that were tried: the script was evaluated with them, and the kernel moves less.
#pragma once

#include "app/session/explain/found_kernel.h"

namespace hidet::session {

// Fills the fixes of the views of `found`, one of `kernels`. `request` says which modules of the script are looked at again.
void offer_fixes(Work& work, const ExplainRequest& request, const std::vector<FoundKernel>& kernels,
                 const FoundKernel& found, KernelExplained& out);

} // namespace hidet::session
