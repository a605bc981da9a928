// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu/thread_pool.h"

#include <algorithm>
#include <atomic>

#include <sched.h>

namespace hidet::cpu {

static thread_local bool t_inside_loop = false;

// Kernels of a model follow each other within microseconds, while to sleep and to be woken takes tens of them. What is looked
// at is written with the mutex held.
template <class Condition>
static void spin_until(const Condition& condition) {
    constexpr int most_turns = 1000; // some 20 us
    for (int i = 0; i < most_turns && !condition(); ++i) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
}

int usable_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

ThreadPool::ThreadPool(int threads) {
    int wanted = threads > 0 ? threads : usable_processors();
    try {
        for (int i = 1; i < wanted; ++i)
            m_workers.emplace_back([this, i] { work(i); });
    } catch (const std::system_error&) {
        // The system gives no more threads: loops run on those there are.
    }
}

ThreadPool::~ThreadPool() {
    {
        std::lock_guard lock(m_mutex);
        m_closing = true;
    }
    m_started.notify_all();
    for (std::thread& worker : m_workers)
        worker.join();
}

void ThreadPool::run_part(const Loop& loop, int part) {
    // The first `rest` parts have one more; so no part differs from another by more than one.
    long long each = loop.count / loop.parts, rest = loop.count % loop.parts;
    long long begin = part * each + std::min<long long>(part, rest);
    long long end = begin + each + (part < rest ? 1 : 0);
    if (begin < end)
        loop.body(loop.context, begin, end);
}

void ThreadPool::work(int index) {
    t_inside_loop = true;
    std::uint64_t seen = 0;
    std::unique_lock lock(m_mutex);
    while (true) {
        lock.unlock();
        spin_until([&] { return std::atomic_ref(m_generation).load(std::memory_order_relaxed) != seen; });
        lock.lock();
        m_started.wait(lock, [&] { return m_closing || m_generation != seen; });
        if (m_closing)
            return;
        seen = m_generation;
        Loop loop = m_loop;
        if (index >= loop.parts)
            continue;
        lock.unlock();
        run_part(loop, index);
        lock.lock();
        if (std::atomic_ref(m_running).fetch_sub(1, std::memory_order_relaxed) == 1)
            m_ended.notify_one();
    }
}

void ThreadPool::parallel_for(long long count, int threads, Body body, void* context) {
    if (count <= 0)
        return;
    int available = threads > 0 ? std::min(threads, this->threads()) : this->threads();
    int parts = static_cast<int>(std::min<long long>(available, count));
    Loop loop{body, context, count, parts};
    if (parts == 1 || t_inside_loop)
        return body(context, 0, count);
    std::lock_guard entry(m_entry);
    {
        std::lock_guard lock(m_mutex);
        m_loop = loop;
        m_running = parts - 1;
        std::atomic_ref(m_generation).store(m_generation + 1, std::memory_order_relaxed);
    }
    m_started.notify_all();
    t_inside_loop = true;
    run_part(loop, 0);
    t_inside_loop = false;
    spin_until([&] { return std::atomic_ref(m_running).load(std::memory_order_relaxed) == 0; });
    std::unique_lock lock(m_mutex);
    m_ended.wait(lock, [&] { return m_running == 0; });
}

} // namespace hidet::cpu
