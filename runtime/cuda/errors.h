// SPDX-License-Identifier: Apache-2.0
// What the driver says, as errors with stable codes:
//   environment  driver-missing, driver-too-old, no-gpu, wrong-arch, out-of-device-memory, device-error
//   the script   kernel-fault, kernel-timeout, launch-failed
//   after a kernel-fault or the like: context-lost; our own mix-up of kernels and modules: kernel-missing
#pragma once

#include <string>
#include <string_view>

#include "lang/base/device_copy.h"
#include "lang/base/result.h"
#include "runtime/cuda/driver_api.h"

namespace hidet::cuda {

struct ResultRow {
    int value = 0;
    const char* name = "";
    const char* code = "";
    bool is_sticky = false; // the context is lost
    const char* meaning = "";
};
const ResultRow& result_row(Status status); // of an unknown value: a row that says so

// "copying 4 MiB to the device failed: the driver refused a value (CUDA_ERROR_INVALID_VALUE)".
Error error_of(Status status, std::string_view doing);

std::string bytes_text(std::size_t bytes);      // "17 bytes", "4 MiB"
std::string version_text(int version);          // 13000 -> "13.0"
std::string architecture_text(int major_minor); // 90 -> "sm_90"

} // namespace hidet::cuda
