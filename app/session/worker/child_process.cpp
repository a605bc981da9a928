// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/child_process.h"

#include <cctype>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lang/base/text.h"

namespace hidet::session {

namespace {

struct Pipe {
    Descriptor read_end;
    Descriptor write_end;
    bool open() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            return false;
        read_end.reset(ends[0]);
        write_end.reset(ends[1]);
        return true;
    }
};

void take(Descriptor& from, Descriptor& to) {
    int number = fcntl(from.get(), F_DUPFD_CLOEXEC, 3);
    from.close();
    to.reset(number);
    if (number >= 0)
        fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK);
}

int open_ending(pid_t process) {
#ifdef SYS_pidfd_open
    return static_cast<int>(syscall(SYS_pidfd_open, process, 0)); // close-on-exec by itself
#else
    (void)process;
    return -1;
#endif
}

// Tools that a worker starts lead groups of their own, so its group is not all of its family.
void collect_children(pid_t process, std::vector<pid_t>& family) {
    std::error_code error;
    std::filesystem::directory_iterator tasks(cat("/proc/", process, "/task"), error), end;
    for (; !error && tasks != end; tasks.increment(error)) {
        std::ifstream children(tasks->path() / "children");
        for (pid_t child = 0; children >> child;) {
            family.push_back(child);
            collect_children(child, family);
        }
    }
}

void kill_family(pid_t leader) {
    kill(-leader, SIGSTOP); // so that it starts nothing while we look
    std::vector<pid_t> family;
    collect_children(leader, family);
    for (pid_t process : family)
        kill(process, SIGKILL);
    kill(-leader, SIGKILL);
    kill(leader, SIGKILL); // where it has not become the leader yet
}

std::string signal_text(int number) {
    const char* words = sigdescr_np(number);
    std::string text = words ? words : "";
    if (text.empty())
        return cat("was ended by signal ", number);
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return cat("was ended by signal ", number, " (", text, ")");
}

std::string story_of(int status) {
    if (WIFSIGNALED(status))
        return signal_text(WTERMSIG(status));
    int code = WEXITSTATUS(status);
    // How a shell tells that a signal ended the program it ran.
    if (code > 128 && sigdescr_np(code - 128))
        return signal_text(code - 128);
    return cat("ended with code ", code);
}

} // namespace

void Descriptor::close() {
    if (m_number >= 0)
        ::close(m_number);
    m_number = -1;
}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::vector<std::string>& command) {
    HIDET_CHECK(!command.empty());
    Pipe input, output, errors;
    if (!input.open() || !output.open() || !errors.open())
        return Error{"process-not-started", cat("cannot prepare a process: ", std::strerror(errno))};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input.read_end.get(), 0);
    posix_spawn_file_actions_adddup2(&files, output.write_end.get(), 1);
    posix_spawn_file_actions_adddup2(&files, errors.write_end.get(), 2);
    posix_spawn_file_actions_addclosefrom_np(&files, 3); // what others opened carelessly is none of its business
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigset_t none, usual;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    sigfillset(&usual);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    std::vector<std::string> words = command;
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    std::unique_ptr<ChildProcess> child(new ChildProcess);
    int failed = posix_spawnp(&child->m_process, pointers[0], &files, &attributes, pointers.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0) {
        child->m_process = 0;
        return Error{"process-not-started", cat("'", command[0], "' cannot be started: ", std::strerror(failed))};
    }
    take(input.write_end, child->m_input);
    take(output.read_end, child->m_output);
    take(errors.read_end, child->m_errors);
    child->m_ending.reset(open_ending(child->m_process));
    return child;
}

ChildProcess::~ChildProcess() {
    end(std::chrono::milliseconds(0));
}

bool ChildProcess::has_ended() {
    if (m_reaped)
        return true;
    pid_t ended = waitpid(m_process, &m_status, WNOHANG);
    m_reaped = ended == m_process || (ended < 0 && errno == ECHILD);
    return m_reaped;
}

bool ChildProcess::wait(std::chrono::milliseconds patience) {
    auto deadline = std::chrono::steady_clock::now() + patience;
    while (!has_ended()) {
        auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return false;
        pollfd file{m_ending.get(), POLLIN, 0};
        // Without the descriptor poll is a nap.
        poll(&file, 1, static_cast<int>(m_ending.get() < 0 ? std::min<std::int64_t>(left.count(), 5) : left.count()));
    }
    return true;
}

std::string ChildProcess::end(std::chrono::milliseconds patience) {
    if (m_process == 0)
        return "";
    if (wait(patience)) {
        kill(-m_process, SIGKILL); // what it left behind
        return story_of(m_status);
    }
    kill_family(m_process);
    wait(std::chrono::seconds(5)); // a process in the depths of a driver may take its time
    return "";
}

} // namespace hidet::session
