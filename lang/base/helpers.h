// SPDX-License-Identifier: Apache-2.0
// Threads that help the one that made them, which waits for them at the end of the scope.
#pragma once

#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace hidet {

class Helpers {
public:
    Helpers() = default;
    Helpers(const Helpers&) = delete;
    Helpers& operator=(const Helpers&) = delete;
    ~Helpers() { wait(); }

    // False: the system gives no more threads, and who asked does it alone.
    template <class Work>
    bool start(Work&& work) {
        try {
            m_threads.emplace_back(std::forward<Work>(work));
            return true;
        } catch (const std::system_error&) {
            return false;
        }
    }
    void wait() {
        for (std::thread& thread : m_threads)
            thread.join();
        m_threads.clear();
    }

private:
    std::vector<std::thread> m_threads;
};

} // namespace hidet
