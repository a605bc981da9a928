// SPDX-License-Identifier: Apache-2.0
// What the memory of a call holds when it is made again, for those to be found who keep results, skip work, or are right for
// some numbers only; and what lies around it.
#pragma once

#include "app/session/kernel_bench/arguments.h"

namespace hidet::session {

// Other numbers in the same memory, and garbage where results will be: neither what is kept by address nor what an earlier call
// left is right then. Integers that are read and written go on, for they may say how often the function has been called.
void refill(const Arguments& args, const Arguments& others, const std::vector<compiler::ParameterAccess>& accesses,
            std::uint64_t seed);

// Results hold what they did in the first call, and those that are read as well what is right, but for an eighth of it, which
// is that of other places. Copies of the latter; null for all else, and for those of few elements.
std::vector<lang::TensorRef> misplace_results(const Arguments& args, const Arguments& first,
                                              const std::vector<lang::TensorRef>& right,
                                              const std::vector<compiler::ParameterAccess>& accesses);
// Whether a call left most of what was not right as it was, though something else is wanted.
bool stays_misplaced(const lang::Tensor& got, const lang::Tensor& held, const lang::Tensor& right,
                     const lang::Tensor& wanted);

} // namespace hidet::session
