// SPDX-License-Identifier: Apache-2.0
// A thread with a stack of our own choosing. Scripts may nest deeply, and the limits that stop them count on room that
// neither a shell's setting nor the system's default for threads promises.
#pragma once

#include <cstddef>
#include <functional>

#include <pthread.h>

namespace hidet::session {

inline constexpr std::size_t large_stack = std::size_t{64} << 20;

class LargeThread {
public:
    // Throws std::system_error where there is no thread left.
    explicit LargeThread(std::function<void()> body, std::size_t stack_bytes = large_stack);
    ~LargeThread(); // waits for its end
    LargeThread(const LargeThread&) = delete;
    LargeThread& operator=(const LargeThread&) = delete;

private:
    std::function<void()> m_body;
    pthread_t m_thread{};
};

// On such a thread, and on this one where there is none left. Returns when it has ended.
void on_large_thread(const std::function<void()>& body);

} // namespace hidet::session
