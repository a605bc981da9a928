// SPDX-License-Identifier: Apache-2.0
// Problems, as callers of the C interface get them.
#pragma once

#include "runtime/capi/hidet_runtime.h"
#include "runtime/package/problem.h"

namespace hidet::capi {

inline hidet_status status_of(package::Code code) {
    using package::Code;
    switch (code) {
    case Code::Ok: return HIDET_OK;
    case Code::Memory: return HIDET_OUT_OF_MEMORY;
    case Code::Damaged: return HIDET_DAMAGED;
    case Code::Version: return HIDET_OTHER_VERSION;
    case Code::Input: return HIDET_BAD_INPUT;
    case Code::Refused: return HIDET_REFUSED;
    case Code::Unsupported: return HIDET_UNSUPPORTED;
    case Code::Failed: return HIDET_FAILED;
    case Code::Cancelled: return HIDET_CANCELLED;
    case Code::Untrusted: return HIDET_NOT_TRUSTED;
    case Code::File: return HIDET_NO_FILE;
    case Code::Argument: return HIDET_BAD_ARGUMENT;
    case Code::Device: return HIDET_NO_DEVICE;
    }
    return HIDET_FAILED;
}

// Of memory the message says only what it was for.
inline hidet_status failed(const package::Problem& problem, hidet_error* error) {
    const hidet_status status = problem.code == package::Code::Ok ? HIDET_FAILED : status_of(problem.code);
    if (!error)
        return status;
    error->status = status;
    package::TextWriter(error->message, sizeof error->message)
        .add(status == HIDET_OUT_OF_MEMORY ? "there is no memory left: " : "", package::text(problem.message));
    return status;
}

inline hidet_status fine(hidet_error* error) {
    if (error) {
        error->status = HIDET_OK;
        error->message[0] = '\0';
    }
    return HIDET_OK;
}

inline hidet_status ended(bool is_ok, const package::Problem& problem, hidet_error* error) {
    return is_ok ? fine(error) : failed(problem, error);
}

} // namespace hidet::capi
