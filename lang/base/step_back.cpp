// SPDX-License-Identifier: Apache-2.0
#include "lang/base/step_back.h"

#ifdef __linux__
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
    if (getpriority(PRIO_PROCESS, thread) < steps)
        setpriority(PRIO_PROCESS, thread, steps);
#endif
}

} // namespace hidet
