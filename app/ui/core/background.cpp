// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/background.h"

namespace hidet::ui {

QThreadPool& background() {
    static QThreadPool pool;
    return pool;
}

} // namespace hidet::ui
