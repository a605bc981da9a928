// SPDX-License-Identifier: Apache-2.0
// Threads that wait for parallel loops. Starting a loop costs a few microseconds, so small loops are worth it too.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace hidet::cpu {

class ThreadPool {
public:
    explicit ThreadPool(int threads = 0); // 0: one for each processor that this process may use
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const { return static_cast<int>(m_workers.size()) + 1; }

    // Splits [0, count) into one run for each thread and calls body(context, begin, end) for each; returns when all are done.
    // `threads` 0: all of the pool. The caller takes a part. A loop inside a loop runs on the thread that meets it.
    using Body = void (*)(void* context, long long begin, long long end);
    void parallel_for(long long count, int threads, Body body, void* context);

private:
    struct Loop {
        Body body = nullptr;
        void* context = nullptr;
        long long count = 0;
        int parts = 0;
    };
    void work(int index);
    static void run_part(const Loop& loop, int part);

    std::mutex m_entry; // one loop at a time
    std::mutex m_mutex;
    std::condition_variable m_started;
    std::condition_variable m_ended;
    Loop m_loop;
    std::uint64_t m_generation = 0;
    int m_running = 0;
    bool m_closing = false;
    std::vector<std::thread> m_workers;
};

int usable_processors(); // that the scheduler lets this process run on

} // namespace hidet::cpu
