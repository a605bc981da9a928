// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/background.h"

namespace hidet::ui {

QThreadPool& background() {
    static QThreadPool pool;
    return pool;
}

QThreadPool& askedFor() {
    static QThreadPool pool;
    return pool;
}

bool worksBeside() {
    return background().activeThreadCount() > 0 || askedFor().activeThreadCount() > 0;
}

void waitForWork() {
    background().waitForDone();
    askedFor().waitForDone();
}

} // namespace hidet::ui
