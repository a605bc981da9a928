// SPDX-License-Identifier: Apache-2.0
#include "runtime/process/spawn.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lang/base/text.h"

namespace hidet::process {

namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> list;
    for (std::string& word : words)
        list.push_back(word.data());
    list.push_back(nullptr);
    return list;
}

// As the shell does it. The child has our memory until it is another program, and we stand still that long; so it may only do
// what leaves nothing behind, and its signals are its own from the first moment.
[[noreturn]] void become(const SpawnRequest& request, const char* path, char* const* words, char* const* environment,
                         int& failed) {
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    for (int signal = 1; signal < NSIG; ++signal)
        ::sigaction(signal, &usual, nullptr);
    ::setpgid(0, request.group);
    bool is_ok = true;
    for (int stream = 0; stream < 3; ++stream)
        is_ok = is_ok && ::dup2(request.streams[stream], stream) == stream;
    ::syscall(SYS_close_range, 3, ~0U, 0); // what others opened carelessly is none of its business
    if (is_ok && !request.folder.empty())
        is_ok = ::chdir(request.folder.c_str()) == 0;
    if (is_ok && request.confinement) {
        limit_process(*request.confinement);
        confine_this_thread(*request.confinement);
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (is_ok)
        ::execve(path, words, environment);
    failed = errno;
    ::_exit(127);
}

// vfork() rather than fork(): no page tables are copied, and who waits for the child to become another program learns
// whether it did.
pid_t start(const SpawnRequest& request, const char* path, char* const* words, char* const* environment, int& failed) {
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t process = ::vfork();
    if (process == 0)
        become(request, path, words, environment, failed);
    if (process < 0)
        failed = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return process;
}

std::string_view name_of(std::string_view variable) {
    return variable.substr(0, variable.find('='));
}

} // namespace

std::string program_path(const std::string& name) {
    const char* folders = std::getenv("PATH");
    if (name.find('/') == std::string::npos)
        for (const std::string& folder : split(folders ? folders : "/usr/bin:/bin", ':'))
            if (std::string path = cat(folder, "/", name); ::access(path.c_str(), X_OK) == 0)
                return path;
    return name;
}

std::vector<std::string> own_command() {
    std::ifstream line("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(line, word, '\0');)
        words.push_back(word);
    std::error_code failed;
    if (const auto program = std::filesystem::read_symlink("/proc/self/exe", failed); !failed && !words.empty())
        words[0] = program.string();
    return words;
}

std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
    std::vector<std::string> all = variables;
    for (char** variable = environ; *variable; ++variable)
        if (std::none_of(variables.begin(), variables.end(),
                         [&](const std::string& own) { return name_of(own) == name_of(*variable); }))
            all.emplace_back(*variable);
    return all;
}

Result<pid_t> spawn(SpawnRequest request) {
    HIDET_CHECK(!request.words.empty());
    const std::string path = program_path(request.words[0]);
    std::vector<char*> words = pointers(request.words), environment = pointers(request.environment);
    volatile int failed = 0; // the child writes it
    const pid_t process = start(request, path.c_str(), words.data(), environment.data(), const_cast<int&>(failed));
    if (failed != 0) {
        if (process > 0)
            ::waitpid(process, nullptr, 0);
        return Error{"process-not-started", cat("'", request.words[0], "' cannot be started: ", std::strerror(failed))};
    }
    return process;
}

} // namespace hidet::process
