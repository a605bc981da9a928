// SPDX-License-Identifier: Apache-2.0
// Internal invariants. A failed check is our bug, never the user's: it throws InternalError, which the session catches
// once, names the stage and keeps a reproduction. Nothing in this program calls abort.
#pragma once

#include <stdexcept>
#include <string>

namespace hidet {

class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

[[noreturn]] void internal_failure(const char* file, int line, const char* condition, const std::string& detail);

} // namespace hidet

#define HIDET_CHECK(condition, ...)                                                                                    \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ::hidet::internal_failure(__FILE__, __LINE__, #condition, std::string{__VA_ARGS__});                       \
    } while (false)
