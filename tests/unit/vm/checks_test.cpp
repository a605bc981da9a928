// SPDX-License-Identifier: Apache-2.0
// The order of accesses: kernels that have a mistake, and the same without it. Whatever the order of warps, and however many
// threads run together, the mistake is found, and nothing where there is none.
#include "tests/unit/vm/support.h"

#include <doctest/doctest.h>
#include <string>

using namespace hidet;
using namespace hidet::test;

namespace {

struct Mistake {
    const char* name;
    const char* wrong;
    const char* expected; // a part of the finding
    const char* right;
    const char* block = "64, 1, 1";
    const char* grid = "1, 1, 1";
};

std::string run_body(const Mistake& pair, const char* body, vm::MachineOptions options) {
    KernelText k{.params = "x: *i32[256], out: *i32[256]", .args = "x, out", .grid = pair.grid, .block = pair.block};
    k.body = body;
    const auto program = compile(module_text(k));
    std::vector<std::int32_t> x(256, 1), out(256, -1);
    options.max_steps = 20'000'000;
    options.checks = vm::Checks::All;
    vm::Machine machine(options);
    return run(program, machine, {map(machine, x, "x"), map(machine, out, "out")});
}

const Mistake mistakes[] = {
    {"shared memory that nobody wrote", "declare shared s: i32[64]\nout[threadIdx.x] = s[threadIdx.x]\n",
     "reads s[0], which nothing has been written to",
     "declare shared s: i32[64]\ns[threadIdx.x] = 1\nout[threadIdx.x] = s[threadIdx.x]\n"},
    {"a barrier after the write",
     "declare shared s: i32[64]\ns[threadIdx.x] = 1\nout[threadIdx.x] = s[63 - threadIdx.x]\n",
     "writes, and nothing orders the two: syncthreads(), or another barrier of both, between them does",
     "declare shared s: i32[64]\ns[threadIdx.x] = 1\ncuda.syncthreads()\nout[threadIdx.x] = s[63 - threadIdx.x]\n"},
    {"a barrier before the next write",
     "declare shared s: i32[64]\nfor k in range(3):\n    s[threadIdx.x] = k\n    cuda.syncthreads()\n    "
     "out[threadIdx.x] = s[63 - threadIdx.x]\n",
     "nothing orders the two",
     "declare shared s: i32[2, 64]\nfor k in range(4):\n    s[k % 2, threadIdx.x] = k\n    cuda.syncthreads()\n    "
     "out[threadIdx.x] = s[k % 2, 63 - threadIdx.x]\n"},
    {"lanes of a warp", "declare shared s: i32[64]\ns[threadIdx.x] = 1\nout[threadIdx.x] = s[threadIdx.x ^ 1]\n",
     "syncwarp() between them does",
     "declare shared s: i32[64]\ns[threadIdx.x] = 1\ncuda.syncwarp(u32(4294967295))\nout[threadIdx.x] = s[threadIdx.x "
     "^ "
     "1]\n"},
    {"different values at one place", "declare shared s: i32[1]\ns[0] = threadIdx.x\nout[0] = 1\n",
     "writes s[0], which", "declare shared s: i32[1]\ns[0] = 3\ncuda.syncthreads()\nout[threadIdx.x] = s[0]\n"},
    {"named barriers",
     "declare shared s: i32[32]\nif threadIdx.x < 32:\n    s[threadIdx.x] = 1\n    cuda.barrier_arrive(1, 64)\n    "
     "cuda.barrier_sync(2, 64)\nelse:\n    cuda.barrier_arrive(2, 64)\n    out[threadIdx.x] = s[63 - threadIdx.x]\n    "
     "cuda.barrier_sync(1, 64)\n",
     "",
     "declare shared s: i32[32]\nif threadIdx.x < 32:\n    s[threadIdx.x] = 1\n    cuda.barrier_arrive(1, 64)\nelse:\n "
     " "
     "  cuda.barrier_sync(1, 64)\n    out[threadIdx.x] = s[63 - threadIdx.x]\n"},
    {"an asynchronous copy",
     "declare shared s: i32[256]\ncuda.cp_async(&s[threadIdx.x * 4], &x[threadIdx.x * 4], "
     "attr='16.always.0.evict_normal')\ncuda.cp_async_commit_group()\nout[threadIdx.x] = s[threadIdx.x * "
     "4]\ncuda.cp_async_wait_group(0)\n",
     "while an asynchronous copy to it is under way",
     "declare shared s: i32[256]\ncuda.cp_async(&s[threadIdx.x * 4], &x[threadIdx.x * 4], "
     "attr='16.always.0.evict_normal')\ncuda.cp_async_commit_group()\ncuda.cp_async_wait_group(0)\ncuda.syncthreads()\n"
     "out[threadIdx.x] = s[threadIdx.x]\n"},
    {"an atomic and a plain read",
     "declare shared s: i32[64]\ns[threadIdx.x] = 0\ncuda.syncthreads()\ncuda.atomic_add(&s[0], 1)\nout[threadIdx.x] = "
     "s[0]\n",
     "updates, and nothing orders",
     "declare shared s: i32[64]\ns[threadIdx.x] = 0\ncuda.syncthreads()\ncuda.atomic_add(&s[0], "
     "1)\ncuda.syncthreads()\nout[threadIdx.x] = s[0]\n"},
    {"blocks that write one place", "out[threadIdx.x] = blockIdx.x\n", "blocks run in any order",
     "out[blockIdx.x * 64 + threadIdx.x] = blockIdx.x\n", "64, 1, 1", "4, 1, 1"},
    {"the last block without a fence",
     "declare shared s: i32[1]\nx[1 + blockIdx.x] = 5\ncuda.syncthreads()\nif threadIdx.x == 0:\n    s[0] = "
     "cuda.atomic_add(&x[0], 1)\ncuda.syncthreads()\nif s[0] == 4:\n    out[threadIdx.x] = x[1 + threadIdx.x % 4]\n",
     "writes, and nothing orders",
     "declare shared s: i32[1]\nx[1 + blockIdx.x] = 5\ncuda.fence(attr='acq_rel.gpu')\ncuda.syncthreads()\nif "
     "threadIdx.x == 0:\n    s[0] = cuda.atomic_add(&x[0], 1)\ncuda.syncthreads()\nif s[0] == 4:\n    "
     "cuda.fence(attr='acq_rel.gpu')\n    out[threadIdx.x] = x[1 + threadIdx.x % 4]\n",
     "64, 1, 1", "4, 1, 1"},
    {"a variable without a value",
     "declare v: i32\nif threadIdx.x < 9:\n    v = threadIdx.x\nout[threadIdx.x] = v + 1\n",
     "uses 'v', which has no value yet: registers begin undefined (block (0, 0, 0), thread (9, 0, 0)), like 54 other",
     "declare v: i32\nif threadIdx.x < 9:\n    v = threadIdx.x\nelse:\n    v = 5\nout[threadIdx.x] = v + 1\n"},
    {"a register tensor without values",
     "declare register r: i32[4]\nfor i in range(3):\n    r[i] = threadIdx.x\nout[threadIdx.x] = r[0] + r[3]\n",
     "uses an element of 'r', which has no value yet",
     "declare register r: i32[4]\nfor i in range(4):\n    r[i] = threadIdx.x\nout[threadIdx.x] = r[0] + r[3]\n"},
    {"a value for all threads that nobody gave", "declare n: i32\nout[threadIdx.x] = n + 1\n",
     "uses 'n', which has no value yet", "declare n: i32\nn = 5\nout[threadIdx.x] = n + 1\n"},
    {"threads of a block that write one element", "out[threadIdx.x // 2] = threadIdx.x\n", "writes out[0], which",
     "out[threadIdx.x // 2] = threadIdx.x // 2\n"},
    {"an element that another thread of the block writes",
     "x[threadIdx.x] = 1\nout[threadIdx.x] = x[63 - threadIdx.x]\n", "nothing orders the two",
     "x[threadIdx.x] = 1\ncuda.syncthreads()\nout[threadIdx.x] = x[63 - threadIdx.x]\n"},
    {"an index that i32 does not hold", "let i: i32 = threadIdx.x * 40000000\nout[i // 40000000] = 1\n",
     "computes 2160000000 for an index", "let i: i32 = threadIdx.x * 30000000\nout[i // 30000000] = 1\n"},
    {"a mask without some lanes", "out[threadIdx.x] = cuda.shfl_xor_sync(u32(65535), threadIdx.x, 1, 32)\n",
     "shuffles with a mask that leaves itself out",
     "out[threadIdx.x] = cuda.shfl_xor_sync(u32(4294967295), threadIdx.x, 1, 32)\n"},
    {"warps at different barriers", "if threadIdx.x < 32:\n    cuda.syncthreads()\nelse:\n    cuda.syncthreads()\n",
     "waits at another one", "cuda.syncthreads()\n"},
};

// The second block takes what it wants without asking whether the first one has left it.
const Mistake hidden = {"a flag that nobody looks at",
                        "if blockIdx.x == 0:\n    out[0] = 7\n    cuda.fence(attr='acq_rel.gpu')\n    "
                        "cuda.atomic_add(&x[0], 1)\nelse:\n    "
                        "cuda.atomic_add(&x[0], 0)\n    cuda.fence(attr='acq_rel.gpu')\n    out[1] = out[0]\n",
                        "nothing orders the two",
                        "",
                        "1, 1, 1",
                        "2, 1, 1"};

} // namespace

TEST_CASE("a kernel with a mistake has its finding, the right one has none") {
    for (const Mistake& pair : mistakes)
        SUBCASE(pair.name) {
            const std::string first = run_body(pair, pair.wrong, {.threads = 1});
            CHECK(!first.empty());
            INFO(first);
            CHECK(first.find(pair.expected) != std::string::npos);
            CHECK(run_body(pair, pair.right, {.threads = 1}) == "");
            for (int lanes : {32, 64})
                for (std::uint64_t seed : {0, 1, 2}) {
                    CHECK(!run_body(pair, pair.wrong, {.seed = seed, .lanes = lanes}).empty());
                    CHECK(run_body(pair, pair.right, {.seed = seed, .lanes = lanes}) == "");
                }
            const vm::MachineOptions random{.schedule = vm::Schedule::Random, .seed = 4};
            CHECK(!run_body(pair, pair.wrong, random).empty());
            CHECK(run_body(pair, pair.right, random) == "");
        }
}

TEST_CASE("a random order shows what ascending blocks hide, and the seed shows it again") {
    CHECK(run_body(hidden, hidden.wrong, {}) == "");
    int found = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        const vm::MachineOptions options{.schedule = vm::Schedule::Random, .seed = seed};
        const std::string text = run_body(hidden, hidden.wrong, options);
        CHECK(text == run_body(hidden, hidden.wrong, options));
        found += text.find(hidden.expected) != std::string::npos;
    }
    CHECK(found > 0);
}

// Block 3 has ended when block 2 leaves `out`, where they run side by side; in the order of the grid it never begins.
TEST_CASE("a run that is begun again has written, noted and kept nothing") {
    KernelText k{.params = "x: *i32[128], out: *i32[256]", .args = "x, out", .grid = "4, 1, 1"};
    k.body =
        "declare shared tile: i32[32]\nif blockIdx.x == 2:\n    for k in range(50000):\n        tile[threadIdx.x] = k\n"
        "    out[threadIdx.x + 256] = 1\ntile[threadIdx.x] = 7\n"
        "x[blockIdx.x * 32 + threadIdx.x] = x[blockIdx.x * 32 + threadIdx.x] + 1\n";
    const auto program = compile(module_text(k));
    std::vector<std::int32_t> x(128, 1), out(256, -1);
    const auto owners = std::make_shared<vm::OwnerMap>(reinterpret_cast<const std::byte*>(x.data()), 128, 4);
    vm::Machine machine({.threads = 4, .checks = vm::Checks::All, .tiles = vm::TileRequest{{3, -1, -1}, nullptr}});
    const vm::Pointer of_cpu = machine.map(
        x.data(), 512, {.name = "x", .device = Device::Cpu, .is_mapped = true, .owners = owners}); // as hidet's own are
    const vm::CallResult result = machine.call(program, "launch", {of_cpu, map(machine, out, "out")});
    REQUIRE(result.findings.size() == 1u);
    CHECK(result.findings[0].block[0] == 2);
    CHECK((x[0] == 2 && x[63] == 2 && x[64] == 1 && x[127] == 1));
    CHECK(owners->owner_of(63)->block == 1);
    CHECK(!owners->owner_of(96));
    REQUIRE(result.statistics.tiles.size() == 1u);
    CHECK(result.statistics.tiles[0].tiles.empty());
}
