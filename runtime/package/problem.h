// SPDX-License-Identifier: Apache-2.0
// Why something was not done. Functions that can fail return false, and have said why.
#pragma once

#include "runtime/package/text.h"

namespace hidet::package {

enum class Code : std::uint8_t {
    Ok,
    Memory,      // there is none left
    Damaged,     // the bytes are no plan
    Version,     // they are one of another version
    Input,       // an input does not fit
    Refused,     // a requirement does not hold, or a size cannot be
    Unsupported, // the backend has no such thing
    Failed,      // the backend says so
    Cancelled,
    Untrusted, // it is not signed, or the caller did not allow what it wants
    File,      // it cannot be read
    Argument,  // of a call: whoever calls is wrong
    Device,    // there is none
};

struct Problem {
    Code code = Code::Ok;
    char message[1000]; // a lower-case sentence
    Problem() { clear(); }
    void clear() {
        code = Code::Ok;
        message[0] = '\0';
    }
};

template <class... Parts>
bool refuse(Problem& problem, Code code, const Parts&... parts) {
    problem.code = code;
    TextWriter(problem.message, sizeof problem.message).add(parts...);
    return false;
}

// For what has failed, and may have said why.
template <class... Parts>
bool refuse_silent(Problem& problem, const Parts&... parts) {
    return problem.code == Code::Ok && refuse(problem, Code::Failed, parts...);
}

} // namespace hidet::package
