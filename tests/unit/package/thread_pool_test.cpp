// SPDX-License-Identifier: Apache-2.0
// Parallel loops of compiled C++.
#include "runtime/package/thread_pool.h"

#include <atomic>
#include <chrono>
#include <doctest/doctest.h>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace hidet;
using hidet::package::ThreadPool;

namespace {

struct Visits {
    explicit Visits(std::size_t count) : counts(count) {}
    std::vector<std::atomic<int>> counts;
    std::mutex mutex;
    std::set<std::thread::id> threads;
    ThreadPool* pool = nullptr;
};

void visit(void* context, long long begin, long long end) {
    auto& visits = *static_cast<Visits*>(context);
    for (long long i = begin; i < end; ++i)
        ++visits.counts[static_cast<std::size_t>(i)];
    std::lock_guard lock(visits.mutex);
    visits.threads.insert(std::this_thread::get_id());
}

void nested(void* context, long long begin, long long end) {
    auto& visits = *static_cast<Visits*>(context);
    for (long long i = begin; i < end; ++i)
        visits.pool->parallel_for(static_cast<long long>(visits.counts.size()), 0, visit, context);
}

bool each_visited(const Visits& visits, int times) {
    for (const std::atomic<int>& count : visits.counts)
        if (count != times)
            return false;
    return true;
}

} // namespace

TEST_CASE("every index is visited once, whatever the number of threads and of indices") {
    for (int threads : {1, 2, 3, 8}) {
        ThreadPool pool(threads);
        for (std::size_t count : {0, 1, 2, 7, 8, 1000}) {
            Visits visits(count);
            pool.parallel_for(static_cast<long long>(count), 0, visit, &visits);
            REQUIRE(each_visited(visits, 1));
            REQUIRE(visits.threads.size() <= static_cast<std::size_t>(threads));
        }
    }
}

TEST_CASE("a loop that asks for fewer threads gets no more than that") {
    ThreadPool pool(4);
    Visits visits(100);
    for (int i = 0; i < 50; ++i)
        pool.parallel_for(100, 2, visit, &visits);
    REQUIRE(visits.threads.size() <= 2u);
    REQUIRE(each_visited(visits, 50));
}

TEST_CASE("short loops of few and of many threads follow each other, and none runs an index of another") {
    for (int threads : {2, 5, 16}) {
        ThreadPool pool(threads);
        for (int i = 0; i < 2000; ++i) {
            Visits visits(static_cast<std::size_t>(1 + i % 41));
            pool.parallel_for(static_cast<long long>(visits.counts.size()), i % 7, visit, &visits);
            REQUIRE(each_visited(visits, 1));
        }
    }
}

TEST_CASE("what a thread does not come to is done by the others") {
    // The first that comes waits for all the other indices, those of its own share among them.
    struct Blocked {
        std::atomic<int> done = 0;
        std::atomic<bool> is_first = true;
    } blocked;
    constexpr int count = 64;
    ThreadPool pool(3);
    pool.parallel_for(
        count, 0,
        [](void* context, long long begin, long long end) {
            auto& state = *static_cast<Blocked*>(context);
            if (state.is_first.exchange(false))
                while (state.done < count - (end - begin))
                    std::this_thread::yield();
            state.done += static_cast<int>(end - begin);
        },
        &blocked);
    REQUIRE(blocked.done == count);
}

TEST_CASE("threads that have gone to sleep take part again") {
    ThreadPool pool(3);
    Visits visits(300);
    for (int i = 0; i < 20; ++i) {
        pool.parallel_for(300, 0, visit, &visits);
        std::this_thread::sleep_for(std::chrono::milliseconds(1)); // longer than threads watch for a loop
    }
    REQUIRE(each_visited(visits, 20));
}

TEST_CASE("a loop inside a loop runs on the thread that meets it, and ends") {
    ThreadPool pool(3);
    Visits visits(5);
    visits.pool = &pool;
    pool.parallel_for(6, 0, nested, &visits);
    REQUIRE(each_visited(visits, 6));
}

TEST_CASE("loops from several threads take turns") {
    ThreadPool pool(2);
    Visits visits(50);
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i)
        callers.emplace_back([&] {
            for (int k = 0; k < 50; ++k)
                pool.parallel_for(50, 0, visit, &visits);
        });
    for (std::thread& caller : callers)
        caller.join();
    REQUIRE(each_visited(visits, 200));
}
