// SPDX-License-Identifier: Apache-2.0
// Who is killed cannot end what it started. PR_SET_PDEATHSIG does not do it either: it reaches one process, not those that
// this one started (c++ has cc1plus and as), and it is sent when the thread that forked ends.
//
// So the first of a group is a guard: a shell that reads from a pipe of which we alone have the other end. The kernel
// closes that end when we are gone, and the guard ends its own group. Members join the group as they are spawned, so there
// is no moment at which somebody runs unguarded; and the group's number stays taken until we have waited for the guard,
// so a kill never reaches strangers. Families nest: a worker that its guard ends takes its compilers with it by their guards.
#include "runtime/process/family.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/wait.h>

#include "lang/base/text.h"
#include "runtime/process/spawn.h"

namespace hidet::process {

namespace {

// Compilers remove their temporary files when they are asked to end; who does not listen is killed.
constexpr const char* guard_script = "trap '' HUP INT QUIT TERM; read -r _; kill -TERM 0; sleep 0.3; kill -KILL 0";

} // namespace

Result<std::unique_ptr<Family>> Family::make() {
    Pipe life;
    Descriptor nothing = above_standard_streams(Descriptor(open("/dev/null", O_WRONLY | O_CLOEXEC)));
    if (!life.open() || !nothing.is_open())
        return Error{"process-not-started", cat("cannot prepare a process: ", std::strerror(errno))};
    std::unique_ptr<Family> family(new Family);
    HIDET_TRY(family->m_guard, spawn({.words = {"/bin/sh", "-c", guard_script},
                                      .environment = {"PATH=/usr/bin:/bin"},
                                      .folder = "/",
                                      .streams = {life.read_end.get(), nothing.get(), nothing.get()}}));
    family->m_life = std::move(life.write_end);
    return family;
}

Family::~Family() {
    if (m_guard == 0)
        return;
    kill(-m_guard, SIGKILL);
    while (waitpid(m_guard, nullptr, 0) < 0 && errno == EINTR) {
    }
}

} // namespace hidet::process
