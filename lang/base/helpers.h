// SPDX-License-Identifier: Apache-2.0
// Threads that help the one that made them, which waits for them at the end of the scope.
#pragma once

#include <algorithm>
#include <cstdint>
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

// Calls work(first, end) for parts of all elements, of `least` or more, on as many threads as have something to do.
template <class Work>
void in_parts(std::int64_t count, std::int64_t least, const Work& work) {
    const std::int64_t threads = std::max<std::int64_t>(std::thread::hardware_concurrency(), 1);
    const std::int64_t parts = std::clamp<std::int64_t>(count / std::max<std::int64_t>(least, 1), 1, threads);
    Helpers helpers;
    for (std::int64_t i = 1; i < parts; ++i) {
        const std::int64_t first = count * i / parts, end = count * (i + 1) / parts;
        if (!helpers.start([&work, first, end] { work(first, end); }))
            work(first, end);
    }
    work(0, count / parts);
}

} // namespace hidet
