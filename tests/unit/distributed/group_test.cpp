// SPDX-License-Identifier: Apache-2.0
// Groups of processes that share memory: what they compute, and how they end where one of them does not do as the others.
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include <poll.h>
#include <signal.h>

#include "lang/base/text.h"
#include "runtime/distributed/file_store.h"
#include "runtime/distributed/peer.h"
#include "runtime/distributed/process_group.h"
#include "tests/unit/distributed/processes.h"
#include "tests/unit/toolchain/scratch.h"

using namespace hidet;
using namespace hidet::distributed;
using hidet::test::in_processes;
using hidet::test::Scratch;
using package::Scalar;

namespace {

using Numbers = std::vector<std::int32_t>;
using Body = std::function<Result<void>(ProcessGroup&)>;

std::vector<std::string> in_group(int size, const Body& body, const Patience& patience = 20) {
    Scratch scratch;
    return in_processes(size, [&](int rank) -> std::string {
        auto store = FileStore::open(scratch.path("store"), 20).value();
        auto group =
            make_shared_memory_group(*store, {.rank = rank, .size = size, .patience = patience, .slot_bytes = 100});
        if (!group)
            return group.error().message;
        const Result<void> done = body(*group.value());
        return done ? "fine" : done.error().message;
    });
}

struct Vector {
    explicit Vector(std::size_t count, std::int32_t value = 0)
        : numbers(count, value), shape{static_cast<std::int64_t>(count)} {}
    Elements elements() { return {Scalar::I32, shape, bytes()}; }
    std::byte* bytes() { return reinterpret_cast<std::byte*>(numbers.data()); }
    Numbers numbers;
    std::vector<std::int64_t> shape;
};

std::vector<std::byte*> list(std::vector<Vector>& vectors) {
    std::vector<std::byte*> out;
    for (Vector& each : vectors)
        out.push_back(each.bytes());
    return out;
}

Result<void> is(bool good, const std::string& what) {
    if (!good)
        return Error{"wrong", "wrong " + what};
    return {};
}

#define TRY(...)                                                                                                       \
    if (Result<void> done_here = (__VA_ARGS__); !done_here)                                                            \
        return done_here;

// Lengths from nothing to many times what a slot has.
Result<void> all_of_length(ProcessGroup& group, std::size_t n) {
    const int me = group.rank(), size = group.size();
    Vector mine(n, me + 1);
    TRY(group.all_reduce(mine.elements(), mine.elements().data, Reduction::Sum))
    TRY(is(mine.numbers == Numbers(n, size * (size + 1) / 2), "all_reduce"))
    Vector sent(n, me == 1 ? 7 : 0);
    TRY(group.broadcast(sent.elements(), 1))
    TRY(is(sent.numbers == Numbers(n, 7), "broadcast"))
    std::vector<Vector> parts, taken;
    for (int i = 0; i < size; ++i)
        parts.emplace_back(n, 10 * me + i), taken.emplace_back(n, -1);
    TRY(group.all_gather(parts[0].elements(), list(taken)))
    for (int i = 0; i < size; ++i)
        TRY(is(taken[static_cast<std::size_t>(i)].numbers == Numbers(n, 10 * i), "all_gather"))
    TRY(group.all_to_all(list(parts), parts[0].elements(), list(taken)))
    for (int i = 0; i < size; ++i)
        TRY(is(taken[static_cast<std::size_t>(i)].numbers == Numbers(n, 10 * i + me), "all_to_all"))
    Vector one(n);
    TRY(group.reduce_scatter(list(parts), one.elements(), Reduction::Max))
    TRY(is(one.numbers == Numbers(n, 10 * (size - 1) + me), "reduce_scatter"))
    TRY(group.scatter(me == 0 ? list(parts) : std::vector<std::byte*>(), one.elements(), 0))
    TRY(is(one.numbers == Numbers(n, me), "scatter"))
    std::vector<std::byte*> none;
    TRY(group.gather(one.elements(), me == 1 ? list(taken) : none, 1))
    TRY(is(me != 1 || taken[0].numbers == Numbers(n, 0), "gather"))
    TRY(group.reduce(one.elements(), 0, Reduction::Sum))
    TRY(is(one.numbers == Numbers(n, me == 0 ? size * (size - 1) / 2 : me), "reduce"))
    // To the next, in a ring: the first receives last.
    Vector token(n, 5), got(n);
    const int next = (me + 1) % size, last = (me + size - 1) % size;
    if (me == 0) {
        TRY(group.send(token.elements(), next))
        TRY(group.receive(got.elements(), last))
    } else {
        TRY(group.receive(got.elements(), last))
        TRY(group.send(got.elements(), next))
    }
    TRY(is(got.numbers == Numbers(n, 5), "ring"))
    return group.barrier();
}

} // namespace

TEST_CASE("all operations are right for any length and number of processes") {
    for (int size : {2, 3, 4, 8}) {
        CAPTURE(size);
        const auto said = in_group(size, [](ProcessGroup& group) -> Result<void> {
            for (std::size_t n : {0, 1, 7, 25, 26, 301})
                TRY(all_of_length(group, n))
            return {};
        });
        CHECK(said == std::vector<std::string>(static_cast<std::size_t>(size), "fine"));
    }
}

TEST_CASE("some of the processes make a group of their own, beside that of all") {
    Scratch scratch;
    const auto said = in_processes(4, [&](int rank) -> std::string {
        auto store = FileStore::open(scratch.path("store"), 20).value();
        auto all = make_shared_memory_group(*store, {.rank = rank, .size = 4}).value();
        const std::vector<int> partners{rank % 2, rank % 2 + 2};
        auto half = all->part(*store, rank % 2 == 0 ? "even" : "odd", partners, 20).value();
        Vector mine(3, rank), everything(3, rank), again(3, rank);
        if (!half->all_reduce(mine.elements(), mine.elements().data, Reduction::Sum) ||
            !all->all_reduce(everything.elements(), everything.elements().data, Reduction::Sum))
            return "failed";
        MeetingGroup* const some = all->only(*store, partners).value();
        if (!some->all_reduce(again.elements(), again.elements().data, Reduction::Max))
            return "failed";
        const bool is_kept =
            some == all->only(*store, partners).value() && all->only(*store, {0, 1, 2, 3}).value() == all.get();
        return cat(mine.numbers[0], " of ", everything.numbers[0], ", at most ", again.numbers[0],
                   is_kept ? "" : ", made twice");
    });
    CHECK(said ==
          std::vector<std::string>{"2 of 6, at most 2", "4 of 6, at most 3", "2 of 6, at most 2", "4 of 6, at most 3"});
}

TEST_CASE("who waits for a process that has ended because another was killed names that one") {
    Scratch scratch;
    const auto said = in_processes(4, [&](int rank) -> std::string {
        auto store = FileStore::open(scratch.path("store"), 20).value();
        auto all = make_shared_memory_group(*store, {.rank = rank, .size = 4}).value();
        auto row = all->part(*store, cat("row ", rank / 2), {rank / 2 * 2, rank / 2 * 2 + 1}, 20).value();
        auto column = all->part(*store, cat("column ", rank % 2), {rank % 2, rank % 2 + 2}, 20).value();
        if (rank == 3)
            kill(getpid(), SIGKILL);
        const Result<void> done = rank == 2 ? row->barrier() : column->barrier();
        return done ? "fine" : done.error().message;
    });
    CHECK(said[3] == "killed");
    for (std::size_t rank : {0, 1, 2})
        CHECK(said[rank].starts_with("rank 3 (process "));
}

TEST_CASE("a group whose process is killed before it has come names it") {
    Scratch scratch;
    const auto said = in_processes(3, [&](int rank) -> std::string {
        auto store = FileStore::open(scratch.path("store"), 20).value();
        if (rank == 1) {
            auto told = store->set("world/process/1", Peer::self().text());
            kill(getpid(), SIGKILL);
            return told ? "" : "set failed";
        }
        return make_shared_memory_group(*store, {.rank = rank, .size = 3}).error().message;
    });
    CHECK(said[1] == "killed");
    for (std::size_t rank : {0, 2})
        CHECK(said[rank].find("rank 1") != std::string::npos);
}

TEST_CASE("processes that call different operations all end with one message") {
    const auto said = in_group(3, [](ProcessGroup& group) {
        Vector two(2), three(3);
        return group.rank() == 2 ? group.broadcast(three.elements(), 0)
                                 : group.all_reduce(two.elements(), two.elements().data, Reduction::Sum);
    });
    CHECK(said == std::vector<std::string>(3,
                                           "the processes of the group do not call the same: rank 0 calls all_reduce "
                                           "of i32[2] by sum, rank 1 calls all_reduce of i32[2] by sum, rank 2 calls "
                                           "broadcast of i32[3] from rank 0"));
}

TEST_CASE("a process that receives what nobody sends ends with the others") {
    const auto said = in_group(2, [](ProcessGroup& group) {
        Vector two(2);
        return group.rank() == 0 ? group.receive(two.elements(), 1) : group.barrier();
    });
    CHECK(said[0] == said[1]);
    CHECK((said[0].find("rank 1 calls barrier") == 0 || said[0].find("rank 0 calls recv") == 0));
}

TEST_CASE("two processes that send to each other at once are told so") {
    const auto said = in_group(2, [](ProcessGroup& group) {
        Vector two(2);
        return group.send(two.elements(), 1 - group.rank());
    });
    CHECK(said[0] == said[1]);
    CHECK(said[0].find("calls send to rank") != std::string::npos);
}

TEST_CASE("a process that is killed is named by all others, wherever it was") {
    for (int calls = 0; calls < 10; ++calls) {
        CAPTURE(calls);
        const auto said = in_group(4, [calls](ProcessGroup& group) -> Result<void> {
            Vector some(50, 1);
            for (int i = 0; i < 20; ++i) {
                if (group.rank() == 2 && i == calls)
                    kill(getpid(), SIGKILL);
                TRY(group.all_reduce(some.elements(), some.elements().data, Reduction::Sum))
            }
            return {};
        });
        CHECK(said[2] == "killed");
        for (std::size_t rank : {0, 1, 3}) {
            CHECK(said[rank] == said[0]);
            CHECK(said[rank].find("rank 2 (process ") == 0);
            CHECK(said[rank].find("in all_reduce of i32[50] by sum") != std::string::npos);
        }
    }
}

TEST_CASE("a process that does not come is waited for no longer than the timeout") {
    int ends[2];
    REQUIRE(pipe(ends) == 0); // the test keeps it open, so that nothing comes
    const auto said = in_group(
        2,
        [&](ProcessGroup& group) -> Result<void> {
            close(ends[1]);
            if (group.rank() == 0)
                return group.barrier();
            pollfd never{ends[0], POLLIN, 0};
            poll(&never, 1, 2000);
            return group.barrier();
        },
        0.3);
    close(ends[0]);
    close(ends[1]);
    const std::string wanted = "rank 1 does not come: rank 0 has waited for it in barrier for 0.3 s";
    CHECK(said == std::vector<std::string>(2, wanted));
}

TEST_CASE("a process that is interrupted waits no longer, and the others are told") {
    bool is_interrupted = false; // of each process
    const auto said = in_group(
        2,
        [&](ProcessGroup& group) -> Result<void> {
            is_interrupted = group.rank() == 0;
            pollfd none{-1, 0, 0};
            if (group.rank() == 1)
                poll(&none, 1, 300);
            return group.barrier();
        },
        Patience(20, [&] { return is_interrupted; }));
    CHECK(said == std::vector<std::string>{"nobody waits for the other processes any longer",
                                           "rank 0 was interrupted in barrier"});
}

TEST_CASE("a process that leaves is named") {
    const auto said = in_group(2, [](ProcessGroup& group) -> Result<void> {
        if (group.rank() == 1)
            return {};
        return group.barrier();
    });
    CHECK((said[0].find("rank 1 has left") == 0 || said[0].find("rank 1 (process ") == 0));
    CHECK(said[1] == "fine");
}

TEST_CASE("what has no meaning is refused before anybody waits") {
    const auto said = in_group(1, [](ProcessGroup& group) {
        Vector two(2);
        return group.all_reduce(two.elements(), two.elements().data, Reduction::Avg);
    });
    CHECK(said[0] == "there is no 'avg' of i32: integers have no mean");
}
