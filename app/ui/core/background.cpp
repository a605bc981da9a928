// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/background.h"

#include "lang/base/step_back.h"

namespace hidet::ui {

QThreadPool& background() {
    static QThreadPool pool;
    return pool;
}

void stepBack() {
    step_back();
}

} // namespace hidet::ui
