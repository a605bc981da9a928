// SPDX-License-Identifier: Apache-2.0
// What happened before what, for the blocks of a cluster.
//
// Two accesses race when they conflict and no synchronisation orders them; in which order the machine happened to run
// them does not enter. So every access is recorded with an epoch (shadow.h), the value of one clock that steps at each
// synchronisation of the cluster, and for each thread a VectorClock says, of everybody else, up to which epoch what he did
// happened before what the thread does next: a vector clock. Since the machine runs one thing at a time, epochs grow with
// it, and joining two views is taking the larger number of each entry.
//
// Few vectors are needed. Threads that know the same share a clock. A view has a floor for all threads and units, numbers
// for whole warps above it, and single actors only where a thread or a unit is known better than its warp; a barrier of
// the whole cluster is one number. What a thread itself did needs no entry: it is put in when the thread releases, and
// that is a matter of the very threads that do it. So one that arrives alone for its warp releases its own past and what
// it knows of the others, which is how a missing syncwarp before an elected arrival is found.
//
// Copies and products that run beside the threads are done by units. A unit is whatever the wait for it is about: an
// mbarrier for the copies that it counts, a thread for the copies from shared memory that it commits, a warp group for its
// products. So to have waited for the wrong one orders nothing. What a unit does happens before what a thread does when
// the thread's view has the unit, and only waiting for it, or synchronising with somebody who has, puts it there.
//
// Units see memory through another proxy: what threads wrote is there for them only behind a proxy fence. A second view of
// each clock has what has passed one: a fence puts into it what the thread did and knows. It travels with the first, so
// that the fence may stand with the writer or with the one who starts the copy, and nowhere else helps.
//
// Atomics order nothing by themselves. A third view has what has passed a memory fence, and travels as the second does. An
// atomic access publishes it at its address, and whoever accesses the address atomically after that has heard of it, also
// in another cluster: what is known of each other cluster is one more view, whose epochs are that cluster's. He knows it
// when he has passed a fence too, himself or behind a barrier: until then he may read what was there before. Fences of the
// block's scope have a view of their own, which other clusters do not hear of. Where several GPUs run together, those of the
// system's scope have one more, the only one that other GPUs hear of: accesses of that scope publish it apart from the rest.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/vm/mask.h"

namespace hidet::vm {

using Epoch = std::uint32_t; // 0: never

// Who did something: a thread of the cluster (block rank * lanes + lane), a unit, a set of threads that did it in one
// instruction, or several actors with an epoch each.
using Actor = std::uint16_t;
inline constexpr Actor first_unit = 0x4000;       // behind 16 blocks of 1024 threads
inline constexpr Actor under_way = 0x4FFF;        // an asynchronous write that has not arrived
inline constexpr Actor barrier_object = 0x4FFE;   // no write: a barrier lies there
inline constexpr Actor several_updaters = 0x4FFD; // of atomics, which the shadow keeps beside the cell
inline constexpr Actor first_set = 0x5000;
inline constexpr Actor first_history = 0x8000;
inline bool is_thread(Actor actor) {
    return actor < first_unit;
}
inline bool is_unit(Actor actor) {
    return actor >= first_unit && actor < several_updaters;
}

// An access as a word: when, who, and at which instruction.
using Cell = std::uint64_t;
inline constexpr int epoch_shift = 34, actor_shift = 18;
inline constexpr std::uint32_t last_pc = (1u << actor_shift) - 1;
inline constexpr Epoch in_flight = (1u << 30) - 1; // of an access that is not over
inline constexpr Epoch of_unit = 1u << 29;         // epochs of units have this bit, so that no floor is above them
inline Cell cell_of(Epoch epoch, Actor actor, std::uint32_t pc) {
    return Cell{epoch} << epoch_shift | Cell{actor} << actor_shift | (pc < last_pc ? pc : last_pc);
}
inline Epoch epoch_of(Cell cell) {
    return static_cast<Epoch>(cell >> epoch_shift);
}
inline Actor actor_of(Cell cell) {
    return static_cast<Actor>(cell >> actor_shift);
}
inline std::uint32_t pc_of(Cell cell) {
    return static_cast<std::uint32_t>(cell) & last_pc;
}

struct VectorClock {
    Epoch floor = 0;                             // of all threads
    std::vector<Epoch> warps;                    // of all threads of a warp of the cluster; empty: the floor
    std::vector<std::pair<Actor, Epoch>> actors; // sorted; more is known of them than the above

    bool covers(Actor actor, Epoch epoch) const;
    void add(Actor actor, Epoch epoch);
    void add_warp(std::size_t warp, std::size_t count, Epoch epoch);
    void join(const VectorClock& other);

private:
    void merge(const std::vector<std::pair<Actor, Epoch>>& others);
};

struct Far {
    std::map<std::int64_t, VectorClock> clusters; // by their numbers
    // Where it was published, and how often there was before: of one place, what is later has all of what is earlier.
    const void* place = nullptr; // null: it came from several
    std::uint64_t turn = 0;
    bool includes(const Far& other) const {
        return this == &other || (place && place == other.place && turn >= other.turn);
    }
};
using Published = std::map<const std::byte*, std::shared_ptr<Far>>; // at addresses

// How far a fence reaches.
enum class Reach : std::uint8_t { Block, Gpu, System };

struct Clock {
    VectorClock seen;    // by threads
    VectorClock fenced;  // by units
    VectorClock flushed; // by whoever learns of it from an atomic access
    VectorClock near;    // by those of them in the cluster
    std::shared_ptr<const Far> far;
    std::shared_ptr<const Far> heard; // from atomic accesses, and no fence came since
    // The same of fences and accesses of the system's scope.
    VectorClock flushed_to_all;
    std::shared_ptr<const Far> far_to_all, heard_from_all;

    void join(const Clock& other);
};

void join_far(std::shared_ptr<const Far>& to, const std::shared_ptr<const Far>& from);

struct ThreadSet {
    int rank = 0;
    Mask lanes;
};

// The clocks of the threads of a cluster. Those that know the same share one.
struct SharedClocks {
    SharedClocks(int lanes, int threads) : lanes(lanes), refs(static_cast<std::size_t>(threads)), clocks(1) {}
    void start(const Clock& all); // what everybody knows
    const Clock& of(int thread) const { return clocks[refs[static_cast<std::size_t>(thread)]]; }
    // Of the warp that begins with the thread: whether all of its threads know the same.
    bool are_one(int thread) const;
    void change(int rank, const Mask& mask, const std::function<void(Clock&)>& change);
    void replace(int rank, const Mask& mask, Clock by);

    int lanes;                       // of a block
    std::vector<std::uint32_t> refs; // of each thread: row of the clocks
    std::vector<Clock> clocks;
    bool are_all_one = true;   // all threads of the cluster share a clock
    std::uint64_t version = 1; // another one when some thread's clock changed

private:
    std::uint32_t spare_row(); // of a clock that no thread has

    std::vector<std::uint32_t> m_sharers; // of each: threads that have it
    std::vector<std::uint32_t> m_spare;   // that nobody has
    struct Part {                         // of the threads whose clocks change: those that share one
        std::uint32_t from = 0, to = 0, threads = 0;
    };
    std::vector<Part> m_parts;
    std::vector<std::uint32_t> m_part_of; // of each clock, if the part says so too
};

// Threads that did something in one instruction, as an actor.
struct ThreadSets {
    Actor of(int rank, const Mask& mask); // the thread, where it is one
    Actor united(Actor a, Actor b);
    const ThreadSet& at(Actor actor) const { return all[static_cast<std::size_t>(actor - first_set)]; }
    int rank_of(Actor actor) const { return is_thread(actor) ? actor / lanes : at(actor).rank; }
    template <class F>
    bool for_members(Actor actor, F&& f) const; // threads; until one says false
    bool are_many() const { return all.size() > many || unions.size() > many; }

    static constexpr std::size_t many = 0x400;
    int lanes; // of a block
    std::vector<ThreadSet> all = {};
    std::unordered_map<std::string, Actor> rows = {};
    std::map<std::pair<Actor, Actor>, Actor> unions = {};
};

// Of cells that several actors accessed, and what was last asked of them.
struct Histories {
    Cell add(std::vector<Cell> kept, std::uint32_t pc);
    bool has_room() const { return all.size() < first_history - 8u; }

    std::vector<std::vector<Cell>> all;
    struct Merge {
        Cell from = 0, to = 0;
        Actor as = 0, who = 0;
        Epoch now = 0;
        std::uint64_t version = 0;
        std::uint32_t pc = 0;
    } merged;
    struct Join {
        Cell from = 0, late = 0, to = 0;
    } joined, renewed;
};

class Order {
public:
    Order(int blocks, int lanes); // of a block, a multiple of 32
    // The cluster of that number begins: epochs go on, so that cells of the last one are before all that it does, but for
    // those with histories.
    void start(std::int64_t number);
    bool has_wrapped() const { return m_has_wrapped; } // epochs did not go on: older cells mean nothing
    std::int64_t number() const { return m_number; }

    Epoch now() const { return m_now; }
    Epoch epoch_now(Actor actor) const { return is_unit(actor) ? m_now | of_unit : m_now; }
    void step() { ++m_now; }
    std::uint64_t version() const { return m_clocks.version; }
    int lanes() const { return m_lanes; }
    bool know_the_same(int a, int b) const { return &clock(a) == &clock(b); }
    bool has_fences() const { return m_has_fences; } // somebody has passed one

    const Clock& clock(int thread) const { return m_clocks.of(thread); }
    // What these threads did and know. `alive`: of the block; a warp is whole when all that live are among them.
    Clock release(int rank, const Mask& lanes, const Mask& alive);
    void acquire(int rank, const Mask& lanes, const Clock& clock);
    void sync_block(int rank, const Mask& all, const Mask& alive); // all of its threads wait for each other
    void sync(int rank, const Mask& lanes, const Mask& alive);     // these do
    void fence_async(int rank, const Mask& lanes);
    // The least that all of these know of all threads.
    Epoch floor(int rank, const Mask& lanes) const;
    Epoch least_floor() const; // of all threads

    Actor new_unit();
    Actor thread_actor(int rank, int lane) const { return static_cast<Actor>(rank * m_lanes + lane); }
    Actor set_of(int rank, const Mask& lanes) { return m_sets.of(rank, lanes); }
    Mask lanes_of(Actor actor) const; // of its block
    const ThreadSet& set(Actor actor) const { return m_sets.at(actor); }

    // Whether what `actor` did is before what all threads of `who` do now, as threads or as they start a unit; if not,
    // who of them did not wait for whom.
    struct Pair {
        Actor first = 0, second = 0;
    };
    bool is_before(Actor actor, Epoch epoch, Actor who, bool to_unit, Pair& pair) const;
    // Whether all threads of `who` have heard of a thread of that block.
    bool knows_of(int rank, Actor who) const;
    // The accesses of a cell, one for each actor.
    template <class F>
    void for_each(Cell cell, F&& f) const {
        if (actor_of(cell) < first_history) {
            if (cell)
                f(cell);
            return;
        }
        for (Cell each : m_histories.all[static_cast<std::size_t>(actor_of(cell) - first_history)])
            f(each);
    }
    // The cell after `as` accessed it now too, on behalf of the threads `who`: older accesses that are before it go.
    Cell merged(Cell cell, Actor as, Actor who, std::uint32_t pc);
    // The cell with an access of threads that is told late, and that nothing in the cell is known to be before.
    Cell joined(Cell cell, Cell late);
    // The cell with a later access of a unit, which knows of none in the cell but its own.
    Cell renewed(Cell cell, Cell late);
    bool has_many_sets() const { return m_sets.are_many(); }
    bool has_room() const { return m_histories.has_room(); }

    // Atomics and fences, see above.
    void fence(int rank, const Mask& lanes, Reach reach);
    void publish(int thread, const std::byte* address, Published& published);
    void observe(int thread, const std::byte* address, const Published& published);
    void publish_to_all(int thread, const std::byte* address, Published& published);
    void observe_all(int thread, const std::byte* address, const Published& published);
    Published& published() { return m_published; } // of shared memory
    // What a thread of another cluster did.
    bool is_far_before(std::int64_t cluster, Actor actor, Epoch epoch, int thread) const;
    // The same, of any cluster, for accesses that never see what was there before: a fence need not follow.
    bool is_heard_before(std::int64_t cluster, Actor actor, Epoch epoch, int thread) const;
    // The same of an atomic access itself, for what is done at its address: to have seen it is enough.
    bool is_access_heard(std::int64_t cluster, Actor actor, Epoch epoch, int thread) const;

private:
    bool thread_is_before(const Clock& clock, Actor actor, Epoch epoch, Actor thread, bool to_unit) const;
    template <class Pass>
    void pass_fence(int rank, const Mask& lanes, std::vector<Epoch>& own, Pass&& pass);
    void learn(VectorClock& seen, const Far& heard) const;
    void learn_heard(Clock& clock, Reach reach) const;

    int m_lanes = 0;
    int m_threads = 0;
    std::size_t m_warps = 0;
    Epoch m_now = 2, m_first = 1; // what came before the cluster has epochs up to the latter
    bool m_has_wrapped = false;
    SharedClocks m_clocks;
    bool m_has_fences = false;
    std::int64_t m_number = 0;
    // What each thread did up to there has passed its fence of that kind.
    std::vector<Epoch> m_own_fenced, m_own_flushed, m_own_near, m_own_to_all;
    Actor m_units = first_unit;
    ThreadSets m_sets;
    Histories m_histories;
    Published m_published;
};

} // namespace hidet::vm
