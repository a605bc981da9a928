// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/background.h"

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace hidet::ui {

QThreadPool& background() {
    static QThreadPool pool;
    return pool;
}

void stepBack() {
#ifdef __linux__
    // On Linux a priority of a process's is one of a thread's.
    constexpr int least_wanted = 10;
    const auto thread = static_cast<id_t>(syscall(SYS_gettid));
    if (getpriority(PRIO_PROCESS, thread) < least_wanted)
        setpriority(PRIO_PROCESS, thread, least_wanted);
#endif
}

} // namespace hidet::ui
