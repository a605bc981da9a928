// SPDX-License-Identifier: Apache-2.0
#include "lang/base/lower_priority.h"

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace hidet {

#ifdef __linux__
static constexpr int steps = 10;

// On Linux a priority of a process's is one of a thread's.
static id_t own_thread() {
    return static_cast<id_t>(syscall(SYS_gettid));
}

void lower_priority() {
    if (!has_stepped_back())
        setpriority(PRIO_PROCESS, own_thread(), steps);
}

bool has_stepped_back() {
    return getpriority(PRIO_PROCESS, own_thread()) >= steps;
}
#else
void lower_priority() {}

bool has_stepped_back() {
    return false;
}
#endif

} // namespace hidet
