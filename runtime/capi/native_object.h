// SPDX-License-Identifier: Apache-2.0
// Machine code of a package, in this process.
#pragma once

#include "runtime/capi/package.h"

namespace hidet::capi {

// The instruction sets that code is compiled for: of two that this processor has, the higher is the better. 0: it has not.
int processor_level(package::Text architecture); // "x86-64-v3": 3

// The object that dlsym() takes, of an image; loaded once for a package, and gone with it. Null: the problem says why.
void* load_object(Package& package, package::Text member, package::Problem& problem);

} // namespace hidet::capi
