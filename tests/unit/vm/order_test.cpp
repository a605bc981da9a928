// SPDX-License-Identifier: Apache-2.0
// The clocks and the shadow of shared memory against happens-before by its definition: random traces of a block of three
// warps, or of two blocks, stop at the first access that races, and both have to see it there.
#include <array>
#include <deque>
#include <doctest/doctest.h>
#include <random>
#include <vector>

#include "runtime/vm/checks/shadow.h"

using namespace hidet;
using namespace hidet::vm;

namespace {

constexpr int lanes = 96, blocks = 2, all_threads = lanes * blocks, granules = 3;

enum class Does : std::uint8_t { Read, Write, Update };

// Full vector clocks of single threads, and every access that there was.
struct Definition {
    std::array<std::array<int, all_threads>, all_threads> clock{};
    struct Access {
        int thread, time;
        Does kind;
    };
    std::array<std::vector<Access>, granules> accesses;
    std::array<std::array<int, all_threads>, 3> objects{}; // what those knew who arrived

    static void join(std::array<int, all_threads>& to, const std::array<int, all_threads>& from) {
        for (std::size_t t = 0; t < all_threads; ++t)
            to[t] = std::max(to[t], from[t]);
    }
    bool races(int thread, Does kind, int granule) {
        auto& mine = clock[static_cast<std::size_t>(thread)];
        bool found = false;
        for (const Access& a : accesses[static_cast<std::size_t>(granule)]) {
            const bool conflicts = (a.kind == Does::Write || kind == Does::Write || a.kind != kind) &&
                                   !(a.kind == Does::Read && kind == Does::Read);
            found = found || (conflicts && a.thread != thread && a.time > mine[static_cast<std::size_t>(a.thread)]);
        }
        accesses[static_cast<std::size_t>(granule)].push_back({thread, ++mine[static_cast<std::size_t>(thread)], kind});
        return found;
    }
    void sync(const std::vector<int>& all) {
        std::array<int, all_threads> joined{};
        for (int t : all)
            join(joined, clock[static_cast<std::size_t>(t)]);
        for (int t : all)
            join(clock[static_cast<std::size_t>(t)], joined);
    }
};

struct Clocks {
    Order order{blocks, lanes};
    Shadow shadow{granules * 4, 4};
    std::array<Clock, 3> objects{};
    std::vector<Conflict> found;
    std::deque<Touch> touches; // that notes refer to
    std::deque<Cell> tags;
    int noted = 0, noted_writes = 0;

    Clocks() { shadow.expect_threads_only(); }
    static Mask mask_of(const std::vector<int>& all, int rank) {
        Mask mask;
        for (int t : all)
            if (t / lanes == rank)
                mask.set(t % lanes);
        return mask;
    }
    static Mask everybody() {
        Mask mask;
        for (int w = 0; w < lanes / 32; ++w)
            mask.set_warp(w, ~0u);
        return mask;
    }
    bool races(const std::vector<int>& all, Does kind, int granule) {
        const int rank = all[0] / lanes;
        const Mask mask = mask_of(all, rank);
        const Visit visit{.order = order, .floor = order.floor(rank, mask)};
        const auto g = static_cast<std::size_t>(granule);
        const Touch& touch = touches.emplace_back(0, order.set_of(rank, mask));
        const Cell& tag = tags.emplace_back(Cell{touch.who} << actor_shift);
        found.clear();
        switch (kind) {
        case Does::Read:
            if (shadow.note({&touch, &tag, 1}, g, {}, visit))
                ++noted;
            else
                shadow.read({&touch, nullptr, 1}, g, visit, found);
            break;
        case Does::Write:
            if (shadow.note_write({&touch, &tag, 1}, g, visit))
                ++noted_writes;
            else
                shadow.write({&touch, nullptr, 1}, g, visit, found);
            break;
        case Does::Update: shadow.update(g, touch.who, visit, false, found); break;
        }
        std::erase_if(found, [](const Conflict& c) { return c.clash == Clash::Unwritten; });
        return !found.empty();
    }
    void sync(const std::vector<int>& all) {
        Clock joined;
        for (int rank = 0; rank < blocks; ++rank)
            if (const Mask mask = mask_of(all, rank); mask.any(lanes / 16))
                joined.join(order.release(rank, mask, everybody()));
        for (int rank = 0; rank < blocks; ++rank)
            if (const Mask mask = mask_of(all, rank); mask.any(lanes / 16))
                order.acquire(rank, mask, joined);
        order.step();
    }
};

// Threads that take part: some lanes of each warp of each block.
std::vector<int> members() {
    std::vector<int> out;
    for (int t = 0; t < all_threads; ++t)
        if (t % 32 < 3)
            out.push_back(t);
    return out;
}

struct Traced {
    int steps = 0;
    int noted = 0, noted_writes = 0;
};

// Odd ones begin with memory that has been written, and have no atomics.
Traced run_trace(std::uint32_t seed, int length) {
    std::mt19937 random(seed);
    const bool is_plain = seed % 2;
    const auto below = [&](std::size_t n) { return static_cast<int>(random() % n); };
    const std::vector<int> all = members();
    const auto pick = [&] { return all[static_cast<std::size_t>(below(all.size()))]; };
    Definition definition;
    Clocks machine;
    machine.order.start(0);
    if (is_plain)
        machine.shadow.fill();
    for (int step = 0; step < length; ++step) {
        const int thread = pick();
        const int what = below(20);
        if (what < 5) {
            std::vector<int> together = {thread};
            const auto kind = static_cast<Does>(below(is_plain ? 2 : 3));
            const int granule = below(granules);
            for (int other = thread + 1; kind == Does::Read && other % 32 < 3 && other % 32 && below(2); ++other)
                together.push_back(other);
            bool expected = false;
            for (int t : together)
                expected = definition.races(t, kind, granule) || expected;
            const bool seen = machine.races(together, kind, granule);
            INFO("seed ", seed, " step ", step);
            CHECK(seen == expected);
            if (expected || seen)
                return {step, machine.noted, machine.noted_writes};
        } else if (what < 8) { // lanes of a warp, some or all
            std::vector<int> some;
            std::vector<int> whole;
            const bool is_whole = below(2);
            for (int t = thread / 32 * 32; t < thread / 32 * 32 + 32; ++t) {
                if (is_whole || (t % 32 < 3 && below(2)))
                    whole.push_back(t);
            }
            if (whole.empty())
                continue;
            definition.sync(whole);
            machine.sync(whole);
        } else if (what < 13) { // a block, or all
            std::vector<int> every;
            const bool is_cluster = below(2) == 0;
            for (int t = 0; t < all_threads; ++t)
                if (is_cluster || t / lanes == thread / lanes)
                    every.push_back(t);
            definition.sync(every);
            machine.sync(every);
        } else if (what < 17) { // arrive
            const auto object = static_cast<std::size_t>(below(3));
            definition.join(definition.objects[object], definition.clock[static_cast<std::size_t>(thread)]);
            machine.objects[object].join(
                machine.order.release(thread / lanes, Clocks::mask_of({thread}, thread / lanes), Clocks::everybody()));
            machine.order.step();
        } else { // wait
            const auto object = static_cast<std::size_t>(below(3));
            definition.join(definition.clock[static_cast<std::size_t>(thread)], definition.objects[object]);
            machine.order.acquire(thread / lanes, Clocks::mask_of({thread}, thread / lanes), machine.objects[object]);
        }
    }
    return {length, machine.noted, machine.noted_writes};
}

} // namespace

TEST_CASE("random traces race where the definition says so") {
    int long_ones = 0, noted = 0, noted_writes = 0;
    for (std::uint32_t seed = 1; seed <= 6000; ++seed) {
        const Traced traced = run_trace(seed, 80);
        long_ones += traced.steps > 30;
        noted += traced.noted;
        noted_writes += traced.noted_writes;
    }
    CHECK(long_ones > 200);
    CHECK(noted > 2000);
    CHECK(noted_writes > 500);
}

TEST_CASE("what a unit read or wrote is over for those who waited for it") {
    Order order(1, 64);
    Shadow shadow(64, 4);
    std::vector<Conflict> found;
    order.start(0);
    Mask first, second;
    first.set(0), second.set(1);
    const Actor unit = order.new_unit(), other = order.new_unit();
    shadow.arrive(0, 1, cell_of(order.epoch_now(unit), unit, 0), order);
    const auto read = [&](const Mask& lanes) {
        const Touch touch{0, order.set_of(0, lanes)};
        found.clear();
        shadow.read({&touch, nullptr, 1}, 0, {.order = order, .floor = order.floor(0, lanes)}, found);
        return found.size();
    };
    CHECK(read(first) == 1);
    shadow.arrive(0, 1, cell_of(order.epoch_now(unit), unit, 0), order);
    Clock waited;
    waited.seen.add(other, order.epoch_now(other));
    order.acquire(0, first, waited); // for another one
    CHECK(read(first) == 1);
    shadow.arrive(0, 1, cell_of(order.epoch_now(unit), unit, 0), order);
    Clock right;
    right.seen.add(unit, order.epoch_now(unit));
    order.acquire(0, first, right);
    CHECK(read(first) == 0);
    CHECK(read(second) == 1);
}

TEST_CASE("a proxy fence stands with the writer or with the one who starts the copy") {
    for (const int who_fences : {-1, 0, 1, 2}) { // nobody, the writer, the starter after the barrier, somebody else
        Order order(1, 64);
        Shadow shadow(64, 4);
        std::vector<Conflict> found;
        order.start(0);
        Mask writer, starter, third, all;
        writer.set(0), starter.set(40), third.set(5);
        all.set_warp(0, ~0u), all.set_warp(1, ~0u);
        const Touch touch{0, order.set_of(0, writer)};
        shadow.write({&touch, nullptr, 1}, 0, {.order = order, .floor = order.floor(0, writer)}, found);
        if (who_fences == 0)
            order.fence_async(0, writer);
        order.acquire(0, all, order.release(0, all, all));
        order.step();
        if (who_fences > 0)
            order.fence_async(0, who_fences == 1 ? starter : third);
        Visit visit{.order = order, .floor = order.floor(0, starter)};
        visit.by_unit = true, visit.unit = order.new_unit();
        shadow.read_run(0, 1, order.set_of(0, starter), visit, found);
        const bool is_right = who_fences == 0 || who_fences == 1;
        CHECK(found.size() == (is_right ? 0 : 1));
        if (!is_right)
            CHECK(found[0].clash == Clash::Unfenced);
    }
}
