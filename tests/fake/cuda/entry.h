// SPDX-License-Identifier: Apache-2.0
// What entry points begin with. They are declared as the table says that the product calls them, so one with other parameters
// does not compile.
#pragma once

#include "tests/fake/cuda/state.h"

using namespace hidet::cuda;
using fake::state;
using Lock = std::lock_guard<std::recursive_mutex>;

#define HIDET_CUDA_FUNCTION(member, symbol, need, params)                                                              \
    extern "C" __attribute__((visibility("default"))) Status symbol params;
#include "runtime/cuda/driver_functions.def"
#undef HIDET_CUDA_FUNCTION

#define ENTRY extern "C" __attribute__((visibility("default"))) Status
#define ENTER(function)                                                                                                \
    Lock lock(state().mutex);                                                                                          \
    if (Status entered = state().enter(function); entered != Status::Success)                                          \
    return entered
