// SPDX-License-Identifier: Apache-2.0
// How far the stack of the calling thread may grow.
#pragma once

namespace hidet {

// The lowest address of the stack of this thread; null where the system does not say.
const char* stack_end();

} // namespace hidet
