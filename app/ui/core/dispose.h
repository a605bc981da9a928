// SPDX-License-Identifier: GPL-3.0-only
// Snapshots of large models take longer to be freed than an event may: whoever holds one lets it go on another thread.
#pragma once

#include <utility>

#include "app/ui/core/background.h"

namespace hidet::ui {

template <class Pointer>
void disposeInBackground(Pointer&& last) {
    if (last)
        background().start([kept = std::move(last)] {});
}

// Puts `next` in the place of what is held.
template <class Pointer>
void hold(Pointer& held, Pointer next) {
    if (held != next)
        disposeInBackground(std::exchange(held, std::move(next)));
}

} // namespace hidet::ui
