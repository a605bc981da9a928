// SPDX-License-Identifier: Apache-2.0
// Operators of the host that packages may have (the others are refused when a package is written).
#pragma once

#include "runtime/package/backend.h"

namespace hidet::capi {

// Of CheckIndices: the elements of its operand, in memory of the host, lie inside of the extents. The problem names the first
// that does not.
bool check_indices(const package::HostStep& step, const void* indices, package::Problem& problem);

bool refuse_operator(const package::HostStep& step, package::Problem& problem);

} // namespace hidet::capi
