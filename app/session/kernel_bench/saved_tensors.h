// SPDX-License-Identifier: Apache-2.0
// The tensors of a call as files, which whoever shows them reads in parts (../tensor): results need not travel.
#pragma once

#include <string>
#include <vector>

#include "app/session/kernel_bench/attempt.h"

namespace hidet::session {

// Of every argument that is a tensor, as the call left it, and of what it should be where that is known.
std::vector<SavedTensor> save_tensors(const std::string& folder, const Callable& callable,
                                      const std::vector<compiler::ParameterAccess>& accesses, const Arguments& after,
                                      const std::vector<lang::TensorRef>& expected,
                                      const std::vector<Comparison>& comparisons);

} // namespace hidet::session
