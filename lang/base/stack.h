// SPDX-License-Identifier: Apache-2.0
// How far the stack of the calling thread may grow.
#pragma once

#include <cstddef>

namespace hidet {

// The lowest address of the stack of this thread; null where the system does not say.
const char* stack_end();
// Whether so little of the stack is left that a walk through what a script nests has to end.
inline bool is_stack_short() {
    constexpr std::ptrdiff_t reserve = 1 << 20; // bytes, for what does not ask
    const char* end = stack_end();
    return end && static_cast<const char*>(__builtin_frame_address(0)) - end < reserve;
}

} // namespace hidet
