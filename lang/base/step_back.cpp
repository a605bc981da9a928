// SPDX-License-Identifier: Apache-2.0
#include "lang/base/step_back.h"

#ifdef __linux__
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace hidet {

void step_back() {
#ifdef __linux__
    constexpr int steps = 10;
    // On Linux a priority of a process's is one of a thread's.
    const auto thread = static_cast<id_t>(syscall(SYS_gettid));
    if (getpriority(PRIO_PROCESS, thread) >= steps)
        return;
    setpriority(PRIO_PROCESS, thread, steps);
    // Such a thread does not push another off its core the moment that it has something to do.
    const sched_param none{};
    if (sched_getscheduler(0) == SCHED_OTHER)
        sched_setscheduler(0, SCHED_BATCH, &none);
#endif
}

} // namespace hidet
