// SPDX-License-Identifier: Apache-2.0
// Threads that wait for parallel loops. Starting a loop costs a few microseconds, so small loops are worth it too.
//
// Each thread has a share of the indices and takes it bit by bit; who has finished helps with the shares of the others. So a
// loop never waits for a thread that the system has not woken yet, which takes longer than many a kernel, on virtual machines
// above all. For the same reason threads watch for the next loop a while before they sleep.
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

    // Splits [0, count) into runs, calls body(context, begin, end) for each, several at a time, and returns when all are done.
    // `threads` 0: all of the pool, else at most so many take part, the caller among them. A loop inside a loop runs on the
    // thread that meets it. The body throws nothing.
    using Body = void (*)(void* context, long long begin, long long end);
    void parallel_for(long long count, int threads, Body body, void* context);

private:
    struct Loop {
        Body body = nullptr;
        void* context = nullptr;
        int shares = 0;
        long long step = 0; // indices that are taken at once
    };
    struct Share { // a cache line of its own
        long long next = 0;
        long long end = 0;
        char rest[48] = {};
    };
    struct Worker {
        ThreadPool* pool = nullptr;
        int index = 0;
        pthread_t thread{};
    };
    static void* begin(void* worker);
    void work(int index);
    void help(int share);
    bool join_loop();
    void leave_loop();
    void wake();
    void open(long long count, int shares, Body body, void* context);
    void close();
    template <class Condition>
    bool watch_for(const Condition& condition) const;

    pthread_mutex_t m_entry = PTHREAD_MUTEX_INITIALIZER; // one loop at a time
    Loop m_loop;                                         // as long as the loop is open, or somebody is in it
    // Words that threads write stand apart from each other, in an object that may lie anywhere.
    [[maybe_unused]] char m_before[64] = {};
    std::uint32_t m_loops = 0; // that were begun; who waits for one sleeps on it
    std::uint32_t m_sleepers = 0;
    [[maybe_unused]] char m_between[64] = {};
    std::uint32_t m_state = 0; // of the loop: bits of thread_pool.cpp, and how many workers are in it
    [[maybe_unused]] char m_behind[64] = {};
    bool m_closing = false;
    bool m_watches = false; // there is a processor for each thread
    Share* m_shares = nullptr;
    Worker* m_rows = nullptr;
    int m_workers = 0;
};

int usable_processors(); // that the scheduler, and the limits of its group, let this process run on

} // namespace hidet::package
