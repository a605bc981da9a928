// SPDX-License-Identifier: Apache-2.0
// What is known of a kernel, as tables, and the part of a page that shows what is known without running it.
#pragma once

#include "app/session/explain/explain.h"
#include "app/session/figure/html.h"

namespace hidet::session {

// Of one with its cost: quantities and their values, the predicted time in seconds among them.
Table cost_table(const KernelExplained& kernel);
// A row for each finding, the most expensive first: its line, what it is, seconds of the predicted time, what cures it.
Table why_table(const KernelExplained& kernel);
// A row for each access to global or shared memory, in the order of the kernel.
Table access_table(const KernelExplained& kernel);

// A row for each kernel: the time that is predicted of it, and what is found in it.
Table verdict_table(const std::vector<KernelExplained>& kernels);
// A row for each: its severity, the diagnostic's id, what it says, and the block and thread where it is of one.
Table findings_table(const std::vector<DiagnosticView>& findings);

void add_kernel(Page& page, const KernelExplained& kernel);

} // namespace hidet::session
