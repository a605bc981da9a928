// SPDX-License-Identifier: Apache-2.0
// What many threads write is what costs: a line of the cache goes from one processor to the next in a tenth of a microsecond,
// and fifteen that try to change one word at once need a hundred turns. So each thread writes its own seat alone, and the
// owner of a loop writes one word as it opens the loop, and as it closes it.
//
// A worker that sees the word of an open loop says in its seat that it is inside, and reads the word again; if it changed, the
// worker goes out and changes nothing. The owner closes the loop when no index is left to be taken, and then looks at the
// seats: whoever it finds outside will find the loop closed (each writes before it reads, in one order for all). When all are
// out what the loop is may change.
//
// Nobody prepares the shares: a seat names the loop that was last taken from it, so in another one nothing is taken yet.
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

constexpr std::uint32_t shares_of_word = 0xfff; // 0: the loop is closed; the bits above are its number
constexpr int number_shift = 12;
constexpr int takes_shift = 16;   // of Seat::taken
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

template <class T>
void store(T& value, T to) {
    __atomic_store_n(&value, to, __ATOMIC_SEQ_CST);
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
    constexpr int most = static_cast<int>(shares_of_word);
    const int all = threads > 0 ? threads : usable;
    const int wanted = (all < most ? all : most) - 1;
    m_watches = wanted < usable;
    if (wanted <= 0)
        return;
    m_rows = static_cast<Worker*>(std::calloc(static_cast<std::size_t>(wanted), sizeof(Worker)));
    const std::size_t seats = static_cast<std::size_t>(wanted) + 1;
    m_seats = static_cast<Seat*>(std::aligned_alloc(sizeof(Seat), seats * sizeof(Seat)));
    for (std::size_t i = 0; m_seats && i < seats; ++i)
        new (m_seats + i) Seat;
    for (; m_rows && m_seats && m_workers < wanted; ++m_workers) {
        Worker& worker = *new (m_rows + m_workers) Worker{this, m_workers + 1, {}};
        if (pthread_create(&worker.thread, nullptr, begin, &worker) != 0)
            return; // the system gives no more threads: loops run on those there are
    }
}

ThreadPool::~ThreadPool() {
    store(m_closing, true);
    store(m_word, (load(m_word) + (1u << number_shift)) | shares_of_word);
    wake_sleepers(m_word, INT_MAX);
    for (int i = 0; i < m_workers; ++i)
        pthread_join(m_rows[i].thread, nullptr);
    std::free(m_rows);
    std::free(m_seats);
    pthread_mutex_destroy(&m_entry);
}

void* ThreadPool::begin(void* worker) {
    auto& own = *static_cast<Worker*>(worker);
    own.pool->work(own.index);
    return nullptr;
}

bool ThreadPool::take(int share, long long& begin, long long& end) {
    const bool has_one_more = share < m_loop.rest;
    const long long count = m_loop.each + (has_one_more ? 1 : 0);
    Seat& seat = m_seats[share];
    std::uint64_t seen = load(seat.taken);
    long long from = 0;
    do {
        const std::uint64_t takes = seen >> takes_shift == m_loop.number ? seen & ((1u << takes_shift) - 1) : 0;
        from = static_cast<long long>(takes) * m_loop.step;
        if (from >= count)
            return false;
        const std::uint64_t taken = (m_loop.number << takes_shift) + takes + 1;
        if (__atomic_compare_exchange_n(&seat.taken, &seen, taken, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            break;
    } while (true);
    const long long start = share * m_loop.each + (has_one_more ? share : m_loop.rest);
    begin = start + from;
    end = start + (count - from > m_loop.step ? from + m_loop.step : count);
    return true;
}

// Takes from that share until nothing is left of it, then from those that follow, as long as the loop is open.
void ThreadPool::help(int first) {
    for (int i = 0; i < m_loop.shares && (load(m_word) & shares_of_word); ++i) {
        const int share = first + i < m_loop.shares ? first + i : first + i - m_loop.shares;
        for (long long begin = 0, end = 0; take(share, begin, end);)
            m_loop.body(m_loop.context, begin, end);
    }
}

bool ThreadPool::join_loop(Seat& seat, std::uint32_t word) {
    store(seat.inside, 1u);
    if (load(m_word) == word)
        return true;
    leave_loop(seat);
    return false;
}

void ThreadPool::leave_loop(Seat& seat) {
    store(seat.inside, 0u);
    if (!load(m_owner_sleeps))
        return;
    __atomic_fetch_add(&m_leavings, 1, __ATOMIC_SEQ_CST);
    wake_sleepers(m_leavings, 1);
}

bool ThreadPool::all_are_out(int shares) const {
    for (int i = 1; i < shares; ++i)
        if (load(m_seats[i].inside))
            return false;
    return true;
}

// Who is woken wakes others, so that nobody has to wake them all.
void ThreadPool::wake() {
    if (load(m_sleepers) > 0)
        wake_sleepers(m_word, 2);
}

bool ThreadPool::is_new(std::uint32_t word, std::uint32_t seen) const {
    return (word & shares_of_word) && word != seen;
}

void ThreadPool::sleep_until_new(std::uint32_t seen) {
    __atomic_fetch_add(&m_sleepers, 1, __ATOMIC_SEQ_CST);
    for (std::uint32_t word = load(m_word); !is_new(word, seen); word = load(m_word))
        sleep_while(m_word, word);
    __atomic_fetch_sub(&m_sleepers, 1, __ATOMIC_SEQ_CST);
    wake();
}

void ThreadPool::work(int index) {
    t_inside_loop = true;
    Seat& seat = m_seats[index];
    const auto own = static_cast<std::uint32_t>(index);
    std::uint32_t seen = 0;
    while (true) {
        std::uint32_t word = 0;
        const auto has_come = [&] { return is_new(word = load(m_word), seen) && own < (word & shares_of_word); };
        if (!watch_for(has_come)) {
            sleep_until_new(seen);
            word = load(m_word);
        }
        if (load(m_closing))
            return;
        seen = word;
        if (own >= (word & shares_of_word) || !join_loop(seat, word)) // the loop is for fewer threads, or over
            continue;
        help(index);
        leave_loop(seat);
    }
}

// Nobody is in a loop, and nobody can come in.
void ThreadPool::open(long long count, int shares, Body body, void* context) {
    const long long each = count / shares;
    const long long step = each > takes_of_share ? each / takes_of_share : 1;
    m_loop = {body, context, m_loop.number + 1, each, count % shares, step, shares};
    store(m_word, static_cast<std::uint32_t>(m_loop.number << number_shift) | static_cast<std::uint32_t>(shares));
    wake();
}

void ThreadPool::close() {
    const int shares = m_loop.shares;
    store(m_word, load(m_word) & ~shares_of_word);
    if (watch_for([&] { return all_are_out(shares); }))
        return;
    store(m_owner_sleeps, 1u);
    for (std::uint32_t leavings = load(m_leavings); !all_are_out(shares); leavings = load(m_leavings))
        sleep_while(m_leavings, leavings);
    store(m_owner_sleeps, 0u);
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
