// SPDX-License-Identifier: Apache-2.0
// Compiled code is not checked: an index outside of a tensor may hit memory that is not there. While a guard lives, such a
// fault (on any thread) ends the process with the guard's last words instead of the system's none.
#pragma once

#include <csignal>
#include <memory>
#include <string>

namespace hidet::cpu {

class CrashGuard {
public:
    // `last_words` goes to standard error, then the process ends with `exit_code`. One guard at a time.
    CrashGuard(std::string last_words, int exit_code);
    ~CrashGuard();
    CrashGuard(const CrashGuard&) = delete;
    CrashGuard& operator=(const CrashGuard&) = delete;

private:
    static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    std::string m_last_words;
    std::unique_ptr<char[]> m_stack; // a stack that overflowed has no room for the handler
    stack_t m_former_stack{};
    struct sigaction m_former[4] = {};
};

} // namespace hidet::cpu
