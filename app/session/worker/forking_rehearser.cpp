// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/forking_rehearser.h"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <iterator>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/session/worker/link.h"

namespace hidet::session {

namespace {

volatile std::sig_atomic_t g_other = 0; // who goes on as the program

// A terminal interrupts both of us; what somebody sends to the process that he started is for the other one.
void pass_on(int signal, siginfo_t* info, void*) {
    if (info->si_code == SI_USER)
        ::kill(g_other, signal);
}

// This one and the one that waits for it: others would not be there any more.
bool has_other_threads() {
    std::error_code failed;
    const std::filesystem::directory_iterator threads("/proc/self/task", failed);
    return failed || std::distance(begin(threads), end(threads)) > 2;
}

bool is_asked_for(int signal) {
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGPIPE || signal == SIGQUIT;
}

int status_of(pid_t process) {
    struct sigaction forward {
    }, before{};
    forward.sa_sigaction = pass_on;
    forward.sa_flags = SA_SIGINFO | SA_RESTART;
    g_other = process;
    ::sigaction(SIGINT, &forward, &before);
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    ::sigaction(SIGINT, &before, nullptr);
    return status;
}

class Settled final : public Rehearsal {
public:
    Settled(RehearsalRequest request, Tried tried) : Rehearsal(std::move(request)), m_tried(std::move(tried)) {}
    Tried wait(const std::atomic<bool>*) override { return m_tried; }

private:
    const Tried m_tried;
};

} // namespace

std::unique_ptr<Rehearsal> ForkingRehearser::begin(RehearsalRequest request) {
    const auto settled = [&](Tried tried) { return std::make_unique<Settled>(std::move(request), std::move(tried)); };
    if (m_is_alone || has_other_threads())
        return settled({});
    const pid_t waiting = ::getpid();
    const pid_t other = ::fork();
    if (other < 0)
        return settled({});
    if (other == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != waiting)
            ::raise(SIGKILL);
        m_is_alone = true;
        return settled({});
    }
    const int status = status_of(other);
    if (WIFEXITED(status))
        ::_exit(WEXITSTATUS(status)); // what was printed, the other one printed
    if (is_asked_for(WTERMSIG(status))) {
        std::signal(WTERMSIG(status), SIG_DFL);
        ::raise(WTERMSIG(status));
    }
    return settled({Tried::End::Died, {}, words_for_signal(WTERMSIG(status))});
}

} // namespace hidet::session
