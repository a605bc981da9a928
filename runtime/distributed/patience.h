// SPDX-License-Identifier: Apache-2.0
// How long somebody waits for others.
#pragma once

#include <functional>
#include <utility>

#include "lang/base/result.h"

namespace hidet::distributed {

struct Patience {
    Patience(double seconds = 600, std::function<bool()> is_cancelled = {})
        : seconds(seconds), is_cancelled(std::move(is_cancelled)) {}
    bool is_at_end() const { return is_cancelled && is_cancelled(); }

    double seconds;                     // without an answer
    std::function<bool()> is_cancelled; // asked every few milliseconds; what it throws ends the wait, too
};

inline Error cancelled_wait() {
    return {"cancelled", "nobody waits for the other processes any longer"};
}

} // namespace hidet::distributed
