// SPDX-License-Identifier: Apache-2.0
// Memory of GPUs that several processes have alike. The fake driver's memory is the host's, so what a kernel would reach at a
// distance is read and written here.
#include <chrono>
#include <csignal>
#include <cstring>
#include <doctest/doctest.h>

#include "runtime/cuda/backend.h"
#include "runtime/cuda/graph.h"
#include "runtime/distributed/file_store.h"
#include "runtime/distributed/kernel_watch.h"
#include "runtime/distributed/symmetric.h"
#include "tests/unit/cuda/emulated.h"
#include "tests/unit/distributed/processes.h"
#include "tests/unit/toolchain/scratch.h"
#include "tests/unit/vm/support.h"

using namespace hidet;
using namespace hidet::distributed;
using namespace hidet::test;

namespace {

constexpr std::size_t heap = std::size_t{4} << 20;

struct Member {
    Rig& rig;
    MeetingGroup& group;
    std::shared_ptr<SymmetricMemory> memory;

    int rank() const { return group.rank(); }
    int size() const { return group.size(); }
    // What the GPU of that rank has at an address here.
    int& at(std::uint64_t address, int rank) const {
        return *reinterpret_cast<int*>(address + static_cast<std::uint64_t>(memory->peers().distance[rank]));
    }
};

using Body = std::function<std::string(Member&)>; // what it says at its end

std::vector<std::string> in_group(int size, const std::string& settings, const Body& body,
                                  const std::function<std::size_t(int rank)>& bytes_of = {}) {
    Scratch scratch;
    const auto run = [&](int rank) -> std::string {
        Rig rig(cat("devices=", size, ";", settings).c_str());
        rig.context = must(cuda::Context::open(rig.driver, rank));
        rig.stream = must(cuda::Stream::create(rig.context));
        auto store = must(FileStore::open(scratch.path("store"), 20));
        auto group = must(make_shared_memory_group(*store, {.rank = rank, .size = size, .patience = 20}));
        auto memory = SymmetricMemory::make(rig.stream, *group, bytes_of ? bytes_of(rank) : heap);
        if (!memory)
            return memory.error().message;
        Member member{rig, *group, std::move(memory).value()};
        return body(member);
    };
    return in_processes(size, [&](int rank) -> std::string {
        try {
            return run(rank);
        } catch (...) { // a check that failed must not go on in the other process's place
            return "failed";
        }
    });
}

std::string all(const std::vector<std::string>& said) {
    for (const std::string& each : said)
        if (each != said.front())
            return cat("differ: ", join(said, " | "));
    return said.front();
}

} // namespace

TEST_CASE("each process reaches the memory of all others at its own address plus a distance") {
    const auto said = in_group(3, "", [](Member& m) -> std::string {
        const auto first = must(m.memory->allocate(m.group, 40)), second = must(m.memory->allocate(m.group, 4000));
        if (first.address == second.address || m.at(second.address, m.rank()) != 0)
            return "parts overlap, or are not of zeros";
        must(m.group.barrier());
        for (int other = 0; other < m.size(); ++other) // as each kernel puts something into a slot of its own
            (&m.at(second.address, other))[m.rank()] = 10 * m.rank() + other;
        must(m.group.barrier());
        for (int other = 0; other < m.size(); ++other)
            if ((&m.at(second.address, m.rank()))[other] != 10 * other + m.rank())
                return cat("wrong from rank ", other);
        const auto& peers = m.memory->peers();
        const bool is_told = peers.rank == m.rank() && peers.count == 3 && peers.distance[m.rank()] == 0;
        must(m.group.barrier());
        return is_told ? "fine" : "wrong ranks";
    });
    CHECK(all(said) == "fine");
}

TEST_CASE("memory that all processes have dropped is given again, and is of zeros") {
    const auto said = in_group(2, "", [](Member& m) -> std::string {
        auto kept = must(m.memory->allocate(m.group, 1000));
        auto dropped = must(m.memory->allocate(m.group, 1000));
        const std::uint64_t address = dropped.address;
        m.at(address, m.rank()) = 7;
        if (m.rank() == 0)
            dropped = {};
        const auto beside = must(m.memory->allocate(m.group, 1000)); // rank 1 still has the other
        if (beside.address == address || beside.address == kept.address)
            return "given although rank 1 has it";
        dropped = {};
        const auto again = must(m.memory->allocate(m.group, 900));
        return again.address == address && m.at(address, m.rank()) == 0 ? "fine" : "not given again";
    });
    CHECK(all(said) == "fine");
}

TEST_CASE("a request that finds no room is an error of all, and the next one may find some") {
    const auto said = in_group(2, "", [](Member& m) -> std::string {
        const auto most = m.memory->allocate(m.group, heap + 1);
        const auto some = m.memory->allocate(m.group, heap);
        return cat(most ? "room" : most.error().message, some ? "" : ", and then none");
    });
    CHECK(all(said) ==
          "symmetric memory has no room for 4 MiB: each GPU has 4 MiB of it, or what HIDET_SYMMETRIC_BYTES says");
}

TEST_CASE("GPUs that do not reach each other are named by all processes") {
    const Body none = [](Member&) { return "made"; };
    CHECK(all(in_group(2, "peers=0", none)) == "rank 0's GPU 0000:00:0F.0 does not reach the memory of rank 1's GPU "
                                               "0000:00:10.0: neither NVLink nor PCI Express "
                                               "gives it access");
    CHECK(all(in_group(2, "peers=wrong", none)) == "rank 0's GPU 0000:00:0F.0 does not reach the memory of rank 1's "
                                                   "GPU 0000:00:10.0: what is read there is not what is "
                                                   "there");
    REQUIRE_HOLDS(all(in_group(2, "fail=cuIpcOpenMemHandle_v2:1:217", none)),
                  "rank 0's GPU 0000:00:0F.0 does not reach the memory of rank 1's GPU 0000:00:10.0: opening the "
                  "memory of rank 1's "
                  "GPU 0000:00:10.0 failed");
}

TEST_CASE("a GPU without memory for it is named by all processes") {
    const auto said = in_group(2, "memory=1048576", [](Member&) { return "made"; });
    REQUIRE_HOLDS(all(said),
                  "taking 4 MiB of symmetric memory on rank 0's GPU (HIDET_SYMMETRIC_BYTES says how much) failed");
}

TEST_CASE("processes that want different sizes are told so") {
    const auto said = in_group(
        2, "", [](Member&) { return "made"; }, [](int rank) { return heap << rank; });
    CHECK(all(said) ==
          "the processes of the group do not call the same: rank 0 calls symmetric memory of 4194304 bytes, rank 1 "
          "calls symmetric memory of 8388608 bytes");
}

TEST_CASE("how much memory is taken follows from the first request, or from the environment") {
    CHECK(symmetric_bytes(1).value() == std::size_t{256} << 20);
    CHECK(symmetric_bytes(std::size_t{200} << 20).value() == std::size_t{400} << 20);
    setenv("HIDET_SYMMETRIC_BYTES", "3000000", 1);
    CHECK(symmetric_bytes(1).value() == std::size_t{4} << 20);
    setenv("HIDET_SYMMETRIC_BYTES", "much", 1);
    CHECK(symmetric_bytes(1).error().message == "HIDET_SYMMETRIC_BYTES is a number of bytes, and not 'much'");
    unsetenv("HIDET_SYMMETRIC_BYTES");
}

TEST_CASE("what is freed at the end is all that was taken") {
    const auto said = in_group(2, "", [](Member& m) -> std::string {
        auto part = must(m.memory->allocate(m.group, 1000));
        m.memory.reset();
        const bool is_kept = fake_cuda_bytes() == heap; // by who has a part of it
        part = {};
        return is_kept && fake_cuda_bytes() == 0 && fake_cuda_calls("cuIpcCloseMemHandle") == 1 ? "fine"
                                                                                                : "left behind";
    });
    CHECK(all(said) == "fine");
}

// ---- kernels ----------------------------------------------------------------------------------------------------------

namespace {

std::string spinning_text() {
    KernelText k{.params = "a: ~f32", .args = "a", .grid = "1, 1, 1"};
    k.body = "a[threadIdx.x] = 1.0\n";
    return module_text(k);
}

// Launches a kernel that reaches other GPUs.
struct Launching {
    explicit Launching(Rig& rig)
        : program(compile(spinning_text())), backend(rig.stream), machine({.backend = &backend}),
          module(rig.module(test::module_text(entries_of(program)) +
                            cat("global hidet_peers ", sizeof(artifact::Peers), "\n"))),
          own(must(cuda::DeviceBuffer::allocate(rig.stream, 128, "a"))), address(own.address()) {
        backend.add(program, module, entries_of(program));
    }
    bool launch() {
        return machine
            .call(program, "launch",
                  {machine.map(nullptr, 128, {.name = "a", .dtype = "f32", .shape = {32}, .device_address = address})})
            .ok;
    }
    artifact::Peers told() {
        artifact::Peers out;
        std::memcpy(&out, reinterpret_cast<const void*>(must(module->global(artifact::peers_name)).address),
                    sizeof out);
        return out;
    }

    artifact::Program program;
    cuda::Backend backend;
    vm::Machine machine;
    std::shared_ptr<cuda::Module> module;
    cuda::DeviceBuffer own;
    std::uint64_t address; // that the kernel is given
};

} // namespace

TEST_CASE("modules are told of the other GPUs, those that are loaded and those to come") {
    Rig rig;
    Launching early(rig);
    REQUIRE(early.launch());
    must(early.backend.set_peers({.rank = 1, .count = 2, .distance = {-64, 0}}));
    CHECK(early.told().rank == 1);
    CHECK(early.told().distance[0] == -64);
    Launching late(rig);
    must(late.backend.set_peers({.rank = 0, .count = 2, .distance = {0, 64}}));
    REQUIRE(late.launch());
    CHECK(late.told().count == 2);
    CHECK(late.told().distance[1] == 64);
    must(late.backend.set_peers({.rank = 0, .count = 4}));
    CHECK(late.told().count == 4);
}

namespace {

// What rank 0 says, whose kernel is given memory that a process has, too, which is killed.
std::string beside_lost_process(KernelWatch::Patience patience, const std::function<std::string(Launching&)>& body) {
    const auto said = in_group(2, "", [&](Member& m) -> std::string {
        const auto part = must(m.memory->allocate(m.group, 128));
        if (m.rank() == 1)
            raise(SIGKILL);
        Launching kernel(m.rig);
        kernel.address = part.address;
        const auto watch = must(KernelWatch::start(m.rig.stream, *m.memory, m.group, patience));
        return body(kernel);
    });
    return said[0];
}

bool launch_hanging(Launching& kernel) {
    fake_cuda_set(cat("hang=", entries_of(kernel.program).front().symbol).c_str());
    return kernel.launch();
}

} // namespace

TEST_CASE("a wait for a kernel ends with the reason where a process has ended that it may wait for") {
    const auto begin = std::chrono::steady_clock::now();
    const std::string said = beside_lost_process({.until_lost = 0.3, .until_end = 30}, [](Launching& kernel) {
        REQUIRE(launch_hanging(kernel));
        const std::string first = error_text(kernel.backend.wait());
        return cat(first, "; ", error_text(kernel.backend.wait()));
    });
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
    REQUIRE_HOLDS(said, "[kernel-timeout] rank 1 (process ");
    REQUIRE_HOLDS(said, ") has ended, and a kernel of rank 0 does not end: it may wait for that; [context-lost]");
}

TEST_CASE("so does a wait for a graph with such a kernel") {
    const std::string said = beside_lost_process({.until_lost = 0.3, .until_end = 30}, [](Launching& kernel) {
        cuda::Stream& stream = *kernel.backend.stream();
        REQUIRE(kernel.launch());
        must(stream.wait());
        cuda::Graph graph = must(cuda::Graph::capture(stream, [&]() -> Result<void> {
            return kernel.launch() ? Result<void>{} : Error{"test", "not launched"};
        }));
        must(graph.launch(stream));
        must(stream.wait());
        fake_cuda_set(cat("hang=", entries_of(kernel.program).front().symbol).c_str());
        must(graph.launch(stream));
        return error_text(stream.wait());
    });
    REQUIRE_HOLDS(said, ") has ended, and a kernel of rank 0 does not end: it may wait for that");
}

TEST_CASE("a process that waits for such a kernel by other means is ended") {
    const std::string said = beside_lost_process({.until_lost = 0.2, .until_end = 0.2}, [](Launching& kernel) {
        REQUIRE(launch_hanging(kernel));
        alarm(10);
        pause();
        return "still here";
    });
    CHECK(said == ""); // and not "killed"
}

TEST_CASE("a process that has ended disturbs nobody whose kernels end") {
    const std::string said = beside_lost_process({.until_lost = 0.1, .until_end = 0.1}, [](Launching& kernel) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(600);
        while (std::chrono::steady_clock::now() < end)
            if (!kernel.launch() || !kernel.backend.wait())
                return "disturbed";
        return "fine";
    });
    CHECK(said == "fine");
}

TEST_CASE("a process that has ended disturbs no kernel of memory that it does not have") {
    const std::string said = beside_lost_process({.until_lost = 0.1, .until_end = 0.1}, [](Launching& kernel) {
        kernel.address = kernel.own.address();
        REQUIRE(launch_hanging(kernel));
        return error_text(kernel.backend.stream()->wait({.seconds = 0.6}));
    });
    REQUIRE_HOLDS(said, "has not ended after 0.6 s");
}
