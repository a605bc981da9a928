// SPDX-License-Identifier: Apache-2.0
// The state of a loop is one word: whether it is open, whether its owner sleeps, and how many workers are in it. A worker may
// come in while it is open. The owner closes it when no index is left to be taken, and waits until all that came in are out;
// only then what the loop is may change. Whoever comes too late finds it closed.
#include "runtime/package/thread_pool.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <initializer_list>
#include <new>

namespace hidet::package {

static thread_local bool t_inside_loop = false;

namespace {

constexpr std::uint32_t is_open = 1u << 31, owner_sleeps = 1u << 30;
constexpr int takes_of_share = 8; // a share is taken in so many runs, so that there is something left to help with
// Kernels of a model follow each other within microseconds; to sleep and to be woken takes tens of them, hundreds in some
// virtual machines.
constexpr std::int64_t watching_ns = 300'000;

class Lock {
public:
    explicit Lock(pthread_mutex_t& mutex) : m_mutex(mutex) { pthread_mutex_lock(&m_mutex); }
    ~Lock() { pthread_mutex_unlock(&m_mutex); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    pthread_mutex_t& m_mutex;
};

template <class T>
T load(const T& value) {
    return __atomic_load_n(&value, __ATOMIC_SEQ_CST);
}

void sleep_while(const std::uint32_t& word, std::uint32_t value) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void wake_sleepers(const std::uint32_t& word, int most) {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, most, nullptr, nullptr, 0);
}

std::int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// What a container may use, where it is less than it sees: "max 100000", or microseconds of each period. 0: no limit.
int processors_of_group() {
    std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "re");
    if (!file)
        return 0;
    long long quota = 0, period = 0;
    const int read = std::fscanf(file, "%lld %lld", &quota, &period);
    std::fclose(file);
    if (read != 2 || quota <= 0 || period <= 0)
        return 0;
    const long long processors = (quota + period - 1) / period;
    return processors < INT_MAX ? static_cast<int>(processors) : 0;
}

} // namespace

int usable_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    const int limit = processors_of_group();
    const int usable = limit > 0 && limit < count ? limit : count;
    return usable > 1 ? usable : 1;
}

template <class Condition>
bool ThreadPool::watch_for(const Condition& condition) const {
    if (condition())
        return true;
    if (!m_watches)
        return false;
    const std::int64_t end = now_ns() + watching_ns;
    do {
        for (int i = 0; i < 64; ++i) {
            if (condition())
                return true;
            pause();
        }
    } while (now_ns() < end);
    return false;
}

ThreadPool::ThreadPool(int threads) {
    const int usable = usable_processors();
    const int wanted = (threads > 0 ? threads : usable) - 1;
    m_watches = wanted < usable;
    if (wanted <= 0)
        return;
    m_rows = static_cast<Worker*>(std::calloc(static_cast<std::size_t>(wanted), sizeof(Worker)));
    m_shares =
        static_cast<Share*>(std::aligned_alloc(sizeof(Share), (static_cast<std::size_t>(wanted) + 1) * sizeof(Share)));
    for (; m_rows && m_shares && m_workers < wanted; ++m_workers) {
        Worker& worker = *new (m_rows + m_workers) Worker{this, m_workers + 1, {}};
        if (pthread_create(&worker.thread, nullptr, begin, &worker) != 0)
            return; // the system gives no more threads: loops run on those there are
    }
}

ThreadPool::~ThreadPool() {
    __atomic_store_n(&m_closing, true, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&m_loops, 1, __ATOMIC_SEQ_CST);
    wake_sleepers(m_loops, INT_MAX);
    for (int i = 0; i < m_workers; ++i)
        pthread_join(m_rows[i].thread, nullptr);
    std::free(m_rows);
    std::free(m_shares);
    pthread_mutex_destroy(&m_entry);
}

void* ThreadPool::begin(void* worker) {
    auto& own = *static_cast<Worker*>(worker);
    own.pool->work(own.index);
    return nullptr;
}

// Takes from that share until nothing is left of it, then from those that follow.
void ThreadPool::help(int share) {
    for (int i = 0; i < m_loop.shares; ++i) {
        Share& from = m_shares[(share + i) % m_loop.shares];
        while (load(from.next) < from.end) {
            const long long begin = __atomic_fetch_add(&from.next, m_loop.step, __ATOMIC_SEQ_CST);
            if (begin >= from.end)
                break;
            m_loop.body(m_loop.context, begin, from.end - begin > m_loop.step ? begin + m_loop.step : from.end);
        }
    }
}

bool ThreadPool::join_loop() {
    std::uint32_t state = load(m_state);
    while (state & is_open)
        if (__atomic_compare_exchange_n(&m_state, &state, state + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return true;
    return false;
}

void ThreadPool::leave_loop() {
    if (__atomic_sub_fetch(&m_state, 1, __ATOMIC_SEQ_CST) == owner_sleeps) // it is closed, and this was the last
        wake_sleepers(m_state, 1);
}

// Who is woken wakes others, so that nobody has to wake them all.
void ThreadPool::wake() {
    if (load(m_sleepers) > 0)
        wake_sleepers(m_loops, 2);
}

void ThreadPool::work(int index) {
    t_inside_loop = true;
    std::uint32_t seen = 0;
    while (true) {
        if (!watch_for([&] { return load(m_loops) != seen; })) {
            __atomic_fetch_add(&m_sleepers, 1, __ATOMIC_SEQ_CST);
            while (load(m_loops) == seen)
                sleep_while(m_loops, seen);
            __atomic_fetch_sub(&m_sleepers, 1, __ATOMIC_SEQ_CST);
            wake();
        }
        seen = load(m_loops);
        if (load(m_closing))
            return;
        if (!join_loop())
            continue;
        if (index < m_loop.shares)
            help(index);
        leave_loop();
    }
}

// Nobody is in a loop, and nobody can come in.
void ThreadPool::open(long long count, int shares, Body body, void* context) {
    const long long each = count / shares, rest = count % shares;
    m_loop = {body, context, shares, each > takes_of_share ? each / takes_of_share : 1};
    for (int i = 0; i < shares; ++i) { // the first `rest` have one more
        const long long begin = i * each + (i < rest ? i : rest);
        m_shares[i].end = begin + each + (i < rest ? 1 : 0);
        __atomic_store_n(&m_shares[i].next, begin, __ATOMIC_SEQ_CST);
    }
    __atomic_store_n(&m_state, is_open, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&m_loops, 1, __ATOMIC_SEQ_CST);
    wake();
}

void ThreadPool::close() {
    __atomic_fetch_and(&m_state, ~is_open, __ATOMIC_SEQ_CST);
    if (watch_for([&] { return load(m_state) == 0; }))
        return;
    std::uint32_t state = __atomic_or_fetch(&m_state, owner_sleeps, __ATOMIC_SEQ_CST);
    while (state != owner_sleeps) {
        sleep_while(m_state, state);
        state = load(m_state);
    }
}

void ThreadPool::parallel_for(long long count, int threads, Body body, void* context) {
    if (count <= 0)
        return;
    const int available = threads > 0 && threads < this->threads() ? threads : this->threads();
    const int shares = count < available ? static_cast<int>(count) : available;
    if (shares == 1 || t_inside_loop)
        return body(context, 0, count);
    Lock entry(m_entry);
    open(count, shares, body, context);
    t_inside_loop = true;
    help(0);
    t_inside_loop = false;
    close();
}

} // namespace hidet::package
