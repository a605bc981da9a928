// SPDX-License-Identifier: Apache-2.0
// Threads that wait for parallel loops. Starting a loop costs a few microseconds, so small loops are worth it too.
#pragma once

#include <pthread.h>

#include <cstdint>

namespace hidet::package {

class ThreadPool {
public:
    explicit ThreadPool(
        int threads = 0); // 0: one for each processor that this process may use; fewer where the system gives no more
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const { return m_workers + 1; }

    // Splits [0, count) into one run for each thread and calls body(context, begin, end) for each; returns when all are done.
    // `threads` 0: all of the pool. The caller takes a part. A loop inside a loop runs on the thread that meets it. The body
    // throws nothing.
    using Body = void (*)(void* context, long long begin, long long end);
    void parallel_for(long long count, int threads, Body body, void* context);

private:
    struct Loop {
        Body body = nullptr;
        void* context = nullptr;
        long long count = 0;
        int parts = 0;
    };
    struct Worker {
        ThreadPool* pool = nullptr;
        int index = 0;
        pthread_t thread{};
    };
    static void* begin(void* worker);
    void work(int index);
    static void run_part(const Loop& loop, int part);

    pthread_mutex_t m_entry = PTHREAD_MUTEX_INITIALIZER; // one loop at a time
    pthread_mutex_t m_mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t m_started = PTHREAD_COND_INITIALIZER;
    pthread_cond_t m_ended = PTHREAD_COND_INITIALIZER;
    Loop m_loop;
    std::uint64_t m_generation = 0;
    int m_running = 0;
    bool m_closing = false;
    Worker* m_rows = nullptr;
    int m_workers = 0;
};

int usable_processors(); // that the scheduler lets this process run on

} // namespace hidet::package
