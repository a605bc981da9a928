// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu/crash_guard.h"

#include <atomic>
#include <cstddef>
#include <iterator>

#include <unistd.h>

namespace hidet::cpu {

namespace {

constexpr std::size_t stack_bytes = 64 * 1024;

// What the handler may look at: it runs wherever the fault was, and may call nothing that takes a lock.
struct LastWords {
    const char* text;
    std::size_t length;
    int exit_code;
};
std::atomic<const LastWords*> g_last_words{nullptr};
LastWords g_words{};

extern "C" void hidet_on_fault(int) {
    const LastWords* words = g_last_words.exchange(nullptr);
    if (!words)
        _exit(1);
    std::size_t written = 0;
    while (written < words->length) {
        ssize_t count = ::write(STDERR_FILENO, words->text + written, words->length - written);
        if (count <= 0)
            break;
        written += static_cast<std::size_t>(count);
    }
    _exit(words->exit_code);
}

} // namespace

CrashGuard::CrashGuard(std::string last_words, int exit_code)
    : m_last_words(std::move(last_words)), m_stack(new char[stack_bytes]) {
    g_words = {m_last_words.data(), m_last_words.size(), exit_code};
    g_last_words.store(&g_words);
    stack_t stack{};
    stack.ss_sp = m_stack.get();
    stack.ss_size = stack_bytes;
    sigaltstack(&stack, &m_former_stack);
    struct sigaction action {};
    action.sa_handler = hidet_on_fault;
    action.sa_flags = SA_ONSTACK;
    for (std::size_t i = 0; i < std::size(signals); ++i)
        sigaction(signals[i], &action, &m_former[i]);
}

CrashGuard::~CrashGuard() {
    for (std::size_t i = 0; i < std::size(signals); ++i)
        sigaction(signals[i], &m_former[i], nullptr);
    sigaltstack(&m_former_stack, nullptr);
    g_last_words.store(nullptr);
}

} // namespace hidet::cpu
