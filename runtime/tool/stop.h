// SPDX-License-Identifier: Apache-2.0
// How the tool ends early: with one line on standard error, and an exit code that means what hidetc's mean.
#pragma once

#include <string>

#include "runtime/capi/hidet_runtime.hpp"

namespace hidet::tool {

inline constexpr int exit_fine = 0;
inline constexpr int exit_wrong = 1; // the package or an input
inline constexpr int exit_usage = 2;
inline constexpr int exit_environment = 3; // no GPU, no memory, not for this machine
inline constexpr int exit_internal = 70;
inline constexpr int exit_cancelled = 130;

struct Stop {
    int exit;
    std::string message;
};

inline int exit_of(hidet_status status) {
    switch (status) {
    case HIDET_OK: return exit_fine;
    case HIDET_DAMAGED:
    case HIDET_OTHER_VERSION:
    case HIDET_BAD_INPUT:
    case HIDET_REFUSED:
    case HIDET_FAILED:
    case HIDET_NOT_TRUSTED: return exit_wrong;
    case HIDET_NO_FILE:
    case HIDET_BAD_ARGUMENT: return exit_usage; // the only arguments that a user chooses are names
    case HIDET_OUT_OF_MEMORY:
    case HIDET_UNSUPPORTED:
    case HIDET_NO_DEVICE: return exit_environment;
    case HIDET_CANCELLED: return exit_cancelled;
    }
    return exit_internal;
}

[[noreturn]] inline void stop(const runtime::Error& error) {
    throw Stop{exit_of(error.status), error.message};
}

template <class T>
T take(runtime::Result<T> result) {
    if (!result)
        stop(result.error());
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

} // namespace hidet::tool
