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
        std::uint64_t number = 0;
        long long each = 0; // indices of a share; the first `rest` shares have one more
        long long rest = 0;
        long long step = 0; // indices that are taken at once
        int shares = 0;
    };
    struct Seat {                 // of a thread: a cache line of its own
        std::uint64_t taken = 0;  // of its share: the number of the loop, and how often was taken from it in that loop
        std::uint32_t inside = 0; // it may read what the loop is
        char rest[52] = {};
    };
    struct Worker {
        ThreadPool* pool = nullptr;
        int index = 0;
        pthread_t thread{};
    };
    static void* begin(void* worker);
    void work(int index);
    void help(int first);
    bool take(int share, long long& begin, long long& end);
    bool is_new(std::uint32_t word, std::uint32_t seen) const;
    void sleep_until_new(std::uint32_t seen);
    bool join_loop(Seat& seat, std::uint32_t word);
    void leave_loop(Seat& seat);
    bool all_are_out(int shares) const;
    void wake();
    void open(long long count, int shares, Body body, void* context);
    void close();
    template <class Condition>
    bool watch_for(const Condition& condition) const;

    pthread_mutex_t m_entry = PTHREAD_MUTEX_INITIALIZER; // one loop at a time
    // Words that threads write stand apart from each other, in an object that may lie anywhere.
    [[maybe_unused]] char m_before[64] = {};
    Loop m_loop; // as long as the loop is open, or somebody is in it
    std::uint32_t m_word =
        0; // the last loop: its number, and its shares while it is open; who waits for one sleeps on it
    std::uint32_t m_sleepers = 0;
    std::uint32_t m_owner_sleeps = 0; // until all are out
    [[maybe_unused]] char m_between[64] = {};
    std::uint32_t m_leavings = 0; // that the owner slept for
    bool m_closing = false;
    bool m_watches = false; // there is a processor for each thread
    Seat* m_seats = nullptr;
    Worker* m_rows = nullptr;
    int m_workers = 0;
};

int usable_processors(); // that the scheduler, and the limits of its group, let this process run on

} // namespace hidet::package
