// SPDX-License-Identifier: Apache-2.0
#include "runtime/package/thread_pool.h"

#include <sched.h>

#include <cstdlib>
#include <initializer_list>
#include <new>

namespace hidet::package {

static thread_local bool t_inside_loop = false;

namespace {

class Lock {
public:
    explicit Lock(pthread_mutex_t& mutex) : m_mutex(mutex) { pthread_mutex_lock(&m_mutex); }
    ~Lock() { pthread_mutex_unlock(&m_mutex); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    pthread_mutex_t& m_mutex;
};

// Kernels of a model follow each other within microseconds, while to sleep and to be woken takes tens of them. What is looked
// at is written with the mutex held.
template <class Condition>
void spin_until(const Condition& condition) {
    constexpr int most_turns = 1000; // some 20 us
    for (int i = 0; i < most_turns && !condition(); ++i) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
}

template <class T>
T look_at(const T& value) {
    return __atomic_load_n(&value, __ATOMIC_RELAXED);
}

} // namespace

int usable_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 1 ? count : 1;
}

ThreadPool::ThreadPool(int threads) {
    const int wanted = (threads > 0 ? threads : usable_processors()) - 1;
    if (wanted > 0)
        m_rows = static_cast<Worker*>(std::calloc(static_cast<std::size_t>(wanted), sizeof(Worker)));
    for (; m_rows && m_workers < wanted; ++m_workers) {
        Worker& worker = *new (m_rows + m_workers) Worker{this, m_workers + 1, {}};
        if (pthread_create(&worker.thread, nullptr, begin, &worker) != 0)
            return; // the system gives no more threads: loops run on those there are
    }
}

ThreadPool::~ThreadPool() {
    {
        Lock lock(m_mutex);
        m_closing = true;
    }
    pthread_cond_broadcast(&m_started);
    for (int i = 0; i < m_workers; ++i)
        pthread_join(m_rows[i].thread, nullptr);
    std::free(m_rows);
    for (pthread_cond_t* condition : {&m_started, &m_ended})
        pthread_cond_destroy(condition);
    for (pthread_mutex_t* mutex : {&m_entry, &m_mutex})
        pthread_mutex_destroy(mutex);
}

void* ThreadPool::begin(void* worker) {
    auto& own = *static_cast<Worker*>(worker);
    own.pool->work(own.index);
    return nullptr;
}

void ThreadPool::run_part(const Loop& loop, int part) {
    // The first `rest` parts have one more; so no part differs from another by more than one.
    const long long each = loop.count / loop.parts, rest = loop.count % loop.parts;
    const long long begin = part * each + (part < rest ? part : rest);
    const long long end = begin + each + (part < rest ? 1 : 0);
    if (begin < end)
        loop.body(loop.context, begin, end);
}

void ThreadPool::work(int index) {
    t_inside_loop = true;
    std::uint64_t seen = 0;
    while (true) {
        spin_until([&] { return look_at(m_generation) != seen; });
        Loop loop;
        {
            Lock lock(m_mutex);
            while (!m_closing && m_generation == seen)
                pthread_cond_wait(&m_started, &m_mutex);
            if (m_closing)
                return;
            seen = m_generation;
            loop = m_loop;
        }
        if (index >= loop.parts)
            continue;
        run_part(loop, index);
        Lock lock(m_mutex);
        if (__atomic_sub_fetch(&m_running, 1, __ATOMIC_RELAXED) == 0)
            pthread_cond_signal(&m_ended);
    }
}

void ThreadPool::parallel_for(long long count, int threads, Body body, void* context) {
    if (count <= 0)
        return;
    const int available = threads > 0 && threads < this->threads() ? threads : this->threads();
    const int parts = count < available ? static_cast<int>(count) : available;
    if (parts == 1 || t_inside_loop)
        return body(context, 0, count);
    Lock entry(m_entry);
    const Loop loop{body, context, count, parts};
    {
        Lock lock(m_mutex);
        m_loop = loop;
        m_running = parts - 1;
        __atomic_store_n(&m_generation, m_generation + 1, __ATOMIC_RELAXED);
    }
    pthread_cond_broadcast(&m_started);
    t_inside_loop = true;
    run_part(loop, 0);
    t_inside_loop = false;
    spin_until([&] { return look_at(m_running) == 0; });
    Lock lock(m_mutex);
    while (m_running != 0)
        pthread_cond_wait(&m_ended, &m_mutex);
}

} // namespace hidet::package
