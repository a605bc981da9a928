// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/process.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lang/base/text.h"

namespace hidet::toolchain {

namespace {

using Clock = std::chrono::steady_clock;

class File {
public:
    explicit File(int number = -1) : m_number(number) {}
    ~File() { close(); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    int number() const { return m_number; }
    bool is_open() const { return m_number >= 0; }
    void reset(int number) {
        close();
        m_number = number;
    }
    void close() {
        if (m_number >= 0)
            ::close(m_number);
        m_number = -1;
    }

private:
    int m_number;
};

struct Pipe {
    File read_end;
    File write_end;
    bool open() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            return false;
        read_end.reset(ends[0]);
        write_end.reset(ends[1]);
        return true;
    }
};

// Input lies in a file without a name: nobody has to feed a pipe, and a program that wants to seek can.
bool fill(File& file, const std::string& text) {
    file.reset(memfd_create("input", MFD_CLOEXEC));
    for (std::size_t done = 0; file.is_open() && done < text.size();) {
        ssize_t count = ::write(file.number(), text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        done += static_cast<std::size_t>(count);
    }
    return file.is_open() && lseek(file.number(), 0, SEEK_SET) == 0;
}

// What a tool prints shall not depend on the user's language.
std::vector<std::string> environment() {
    std::vector<std::string> variables = {"LC_ALL=C.UTF-8"};
    for (char** variable = environ; *variable; ++variable)
        if (std::strncmp(*variable, "LC_ALL=", 7) != 0 && std::strncmp(*variable, "LANGUAGE=", 9) != 0)
            variables.emplace_back(*variable);
    return variables;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> list;
    for (std::string& word : words)
        list.push_back(word.data());
    list.push_back(nullptr);
    return list;
}

class Child {
public:
    Result<void> start(const Command& command);
    Outcome watch(const Command& command);

private:
    void end_family() { kill(-m_process, SIGKILL); }
    void read_from(File& file, std::string& text);
    bool wait_for(Outcome& outcome, Clock::time_point deadline);

    pid_t m_process = 0;
    File m_input;
    Pipe m_output;
    Pipe m_errors;
};

Result<void> Child::start(const Command& command) {
    if (!fill(m_input, command.input) || !m_output.open() || !m_errors.open())
        return Error{"process-not-started", cat("cannot prepare a process: ", std::strerror(errno))};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, m_input.number(), 0);
    posix_spawn_file_actions_adddup2(&files, m_output.write_end.number(), 1);
    posix_spawn_file_actions_adddup2(&files, m_errors.write_end.number(), 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    sigset_t usual;
    sigfillset(&usual);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    std::vector<std::string> words = command.words;
    std::vector<std::string> variables = environment();
    int failed = posix_spawn(&m_process, words[0].c_str(), &files, &attributes, pointers(words).data(),
                             pointers(variables).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    m_output.write_end.close();
    m_errors.write_end.close();
    if (failed != 0)
        return Error{"process-not-started", cat("'", words[0], "' cannot be started: ", std::strerror(failed))};
    return {};
}

void Child::read_from(File& file, std::string& text) {
    char bytes[64 * 1024];
    ssize_t count = ::read(file.number(), bytes, sizeof bytes);
    if (count > 0)
        text.append(bytes, static_cast<std::size_t>(count));
    else if (count == 0 || errno != EINTR)
        file.close();
}

// Whether the process itself is over; false: not before the deadline.
bool Child::wait_for(Outcome& outcome, Clock::time_point deadline) {
    for (auto pause = std::chrono::microseconds(50);; pause = std::min(pause * 2, std::chrono::microseconds(5000))) {
        int status = 0;
        pid_t ended = waitpid(m_process, &status, WNOHANG);
        if (ended < 0 && errno != EINTR)
            return true;
        if (ended == m_process) {
            outcome.end = WIFSIGNALED(status) ? Outcome::End::Crashed : Outcome::End::Exited;
            outcome.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
            return true;
        }
        if (Clock::now() >= deadline)
            return false;
        std::this_thread::sleep_for(pause);
    }
}

Outcome Child::watch(const Command& command) {
    using End = Outcome::End;
    Outcome outcome;
    auto deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(command.seconds));
    End reason = End::Exited;
    while (m_output.read_end.is_open() || m_errors.read_end.is_open()) {
        pollfd files[2] = {{m_output.read_end.number(), POLLIN, 0}, {m_errors.read_end.number(), POLLIN, 0}};
        poll(files, 2, 20);
        if (files[0].revents)
            read_from(m_output.read_end, outcome.output);
        if (files[1].revents)
            read_from(m_errors.read_end, outcome.errors);
        if (command.cancelled && command.cancelled->load(std::memory_order_relaxed))
            reason = End::Cancelled;
        else if (outcome.output.size() + outcome.errors.size() > command.output_limit)
            reason = End::TooMuchOutput;
        else if (Clock::now() >= deadline)
            reason = End::TimedOut;
        if (reason != End::Exited)
            break;
    }
    if (reason == End::Exited && !wait_for(outcome, deadline))
        reason = End::TimedOut;
    // Also after a good end: what it left running in the background would keep files open.
    end_family();
    if (reason == End::Exited)
        return outcome;
    wait_for(outcome, Clock::now() + std::chrono::seconds(5));
    outcome.end = reason;
    return outcome;
}

} // namespace

std::string Outcome::story() const {
    switch (end) {
    case End::Exited: return cat("exited with code ", code);
    case End::Crashed: return cat("was ended by signal ", code);
    case End::TimedOut: return "took longer than its time";
    case End::TooMuchOutput: return "printed without end";
    case End::Cancelled: return "was cancelled";
    }
    return {};
}

Result<Outcome> run_process(const Command& command) {
    HIDET_CHECK(!command.words.empty());
    Child child;
    if (auto started = child.start(command); !started)
        return started.error();
    return child.watch(command);
}

} // namespace hidet::toolchain
