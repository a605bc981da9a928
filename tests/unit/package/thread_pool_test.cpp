// SPDX-License-Identifier: Apache-2.0
// Parallel loops of compiled C++.
#include "runtime/package/thread_pool.h"

#include <atomic>
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
    std::vector<long long> sizes;
    ThreadPool* pool = nullptr;
};

void visit(void* context, long long begin, long long end) {
    auto& visits = *static_cast<Visits*>(context);
    for (long long i = begin; i < end; ++i)
        ++visits.counts[static_cast<std::size_t>(i)];
    std::lock_guard lock(visits.mutex);
    visits.threads.insert(std::this_thread::get_id());
    visits.sizes.push_back(end - begin);
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

TEST_CASE("parts differ by one index at most") {
    ThreadPool pool(4);
    Visits visits(10);
    pool.parallel_for(10, 0, visit, &visits);
    for (long long size : visits.sizes)
        REQUIRE((size == 2 || size == 3));
}

TEST_CASE("a loop that asks for fewer threads gets no more parts than that") {
    ThreadPool pool(4);
    Visits visits(100);
    pool.parallel_for(100, 2, visit, &visits);
    REQUIRE(visits.sizes.size() == 2u);
    REQUIRE(each_visited(visits, 1));
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
