// SPDX-License-Identifier: Apache-2.0
// Who is killed cannot end what it started. PR_SET_PDEATHSIG does not do it either: it reaches one process, not those that
// this one started (c++ has cc1plus and as), and it is sent when the thread that forked ends.
//
// So the first of a group is a guard: a shell that reads from a pipe of which we alone have the other end. The kernel
// closes that end when we are gone, and the guard ends its own group. Members join the group as they are spawned, so there
// is no moment at which somebody runs unguarded; and the group's number stays taken until we have waited for the guard,
// so a kill never reaches strangers. Families nest: a worker that its guard ends takes its compilers with it by their guards.
#include "runtime/process/child.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lang/base/text.h"
#include "runtime/process/spawn.h"

namespace hidet::process {

namespace {

// Compilers remove their temporary files when they are asked to end; who does not listen is killed.
constexpr const char* guard_script = "trap '' HUP INT QUIT TERM; read -r _; kill -TERM 0; sleep 0.3; kill -KILL 0";

Descriptor open_ending(pid_t process) {
#ifdef SYS_pidfd_open
    return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0))); // close-on-exec by itself
#else
    (void)process;
    return Descriptor();
#endif
}

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

Result<std::unique_ptr<Child>> Child::start(const Program& program, Descriptor given) {
    Pipe input, output, errors;
    if ((!given.is_open() && !input.open()) || !output.open() || !errors.open())
        return Error{"process-not-started", cat("cannot prepare a process: ", std::strerror(errno))};
    int its_input = given.is_open() ? given.get() : input.read_end.get();
    std::unique_ptr<Child> child(new Child);
    HIDET_TRY(child->m_family, Family::make());
    HIDET_TRY(child->m_process, spawn({.words = program.words,
                                       .environment = environment_with(program.variables),
                                       .folder = program.folder,
                                       .streams = {its_input, output.write_end.get(), errors.write_end.get()},
                                       .group = child->m_family->group(),
                                       .confinement = program.confinement ? &*program.confinement : nullptr}));
    child->m_input = std::move(input.write_end);
    child->m_output = std::move(output.read_end);
    child->m_errors = std::move(errors.read_end);
    for (const Descriptor* ours : {&child->m_input, &child->m_output, &child->m_errors})
        stop_blocking(*ours);
    child->m_ending = open_ending(child->m_process);
    return child;
}

Child::~Child() {
    end(std::chrono::milliseconds(0));
}

bool Child::has_ended() {
    if (m_waited_for || m_process == 0)
        return true;
    pid_t ended = waitpid(m_process, &m_status, WNOHANG);
    m_waited_for = ended == m_process || (ended < 0 && errno == ECHILD);
    return m_waited_for;
}

bool Child::wait(std::chrono::milliseconds patience) {
    auto deadline = std::chrono::steady_clock::now() + patience;
    while (!has_ended()) {
        auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return false;
        pollfd file{m_ending.get(), POLLIN, 0};
        // Without the descriptor poll is a nap.
        poll(&file, 1, static_cast<int>(m_ending.is_open() ? left.count() : std::min<std::int64_t>(left.count(), 5)));
    }
    return true;
}

std::optional<Ending> Child::end(std::chrono::milliseconds patience) {
    m_killed |= !wait(patience);
    m_family.reset();
    if (m_killed) {
        wait(std::chrono::seconds(5)); // a process in the depths of a driver may take its time
        return std::nullopt;
    }
    if (WIFSIGNALED(m_status))
        return Ending{true, WTERMSIG(m_status)};
    return Ending{false, WEXITSTATUS(m_status)};
}

} // namespace hidet::process
