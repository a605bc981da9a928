// SPDX-License-Identifier: Apache-2.0
// NVIDIA's driver, loaded when a GPU is asked for, and what its results mean in words.
#pragma once

#include "runtime/cuda/driver_api.h"
#include "runtime/package/problem.h"

namespace hidet::capi {

using cuda::Api;
using cuda::DeviceAddress;
using cuda::Status;
using package::Problem;

inline constexpr int oldest_driver = 12000; // CUDA that it supports: the first that has all that is called

struct Driver {
    Api api;
    int version = 0; // of CUDA that it supports: 13000
};

// Null: the problem says why. The library stays loaded, as the driver has threads and exit handlers of its own; what failed
// is tried again, as somebody may have mended it.
const Driver* cuda_driver(Problem& problem);

// Sticky results mean that the context is lost: every later call fails.
struct ResultWords {
    const char* name;
    const char* meaning; // completes a sentence whose subject is what was being done
    package::Code code;
    bool is_of_kernel; // the subject is a kernel
    bool is_sticky;
};
ResultWords words_of(Status status);

// True if the call was successful; else the problem says what was being done: "making a stream".
template <class... Parts>
bool succeeds(Status status, Problem& problem, const Parts&... doing) {
    if (status == Status::Success)
        return true;
    const ResultWords words = words_of(status);
    return package::refuse(problem, words.code, doing..., " failed: ", words.is_of_kernel ? "a kernel " : "",
                           words.meaning, " (", words.name, ")");
}

} // namespace hidet::capi
