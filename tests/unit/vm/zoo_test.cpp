// SPDX-License-Identifier: Apache-2.0
// A zoo of small kernels: each is right, or has one mistake and gives exactly its finding. Every one runs with groups of
// 32, 64 and all threads, in several orders, with each instruction set: results and findings are the same.
#include "tests/unit/vm/support.h"

#include <doctest/doctest.h>
#include <string>
#include <string_view>

using namespace hidet;
using namespace hidet::test;

namespace {

struct Specimen {
    const char* name;
    const char* block;
    const char* body;
    const char* expected; // the first results, or the finding
    const char* functions = "";
    const char* grid = "1, 1, 1";
    const char* shared = "0";
    int shown = 8;
};

// Every kernel gets x: 256 ints with x[i] = i, f: 256 floats with f[i] = i / 2, out: 256 ints of -1.
std::string run_with(const Specimen& specimen, const vm::MachineOptions& base) {
    KernelText k{.params = "x: *i32[256], f: *f32[256], out: *i32[256], n: i32",
                 .args = "x, f, out, n",
                 .grid = specimen.grid,
                 .block = specimen.block};
    k.body = specimen.body;
    k.functions = specimen.functions;
    k.shared = specimen.shared;
    auto program = compile(module_text(k));
    std::vector<std::int32_t> x(256), out(256, -1);
    std::vector<float> f(256);
    for (int i = 0; i < 256; ++i)
        x[static_cast<std::size_t>(i)] = i, f[static_cast<std::size_t>(i)] = static_cast<float>(i) / 2;
    std::string text;
    vm::MachineOptions options = base;
    options.print = [&](std::string_view t) { text += t; };
    options.max_steps = 20'000'000;
    vm::Machine machine(options);
    std::string finding =
        run(program, machine, {map(machine, x, "x"), map(machine, f, "f"), map(machine, out, "out"), std::int64_t{5}});
    if (!finding.empty())
        return finding;
    for (int i = 0; i < specimen.shown; ++i)
        text += (i ? " " : "") + std::to_string(out[static_cast<std::size_t>(i)]);
    return text;
}

const Specimen specimens[] = {
    {"integers wrap, divide and shift", "8, 1, 1",
     "let t: i32 = threadIdx.x - 4\n"
     "out[threadIdx.x] = t // 3 * 1000 + t % 3 * 100 + (t / 3 + 5) * 10 + (t rem 3 + 5)\n",
     "-1756 -955 -847 -746 55 156 257 1065"},
    {"conditions are lazy", "8, 1, 1",
     "out[threadIdx.x] = (x[threadIdx.x * 300] if threadIdx.x < 1 else 7) + (1 if threadIdx.x < 2 and x[threadIdx.x * "
     "200] == 200 else 0)\n",
     "0 8 7 7 7 7 7 7"},
    {"threads leave loops at different times", "8, 1, 1",
     "declare s: i32 = 0\nfor i in range(10):\n    if i == threadIdx.x:\n        break\n    if i == 2:\n        "
     "continue\n    s = s + i\n"
     "out[threadIdx.x] = s\n",
     "0 0 1 1 4 8 13 19"},
    {"trip counts that differ", "8, 1, 1",
     "declare s: i32 = 0\nfor i in range(threadIdx.x):\n    for j in range(i):\n        s = s + 1\nout[threadIdx.x] = "
     "s\n",
     "0 0 1 3 6 10 15 21"},
    {"while with a condition that differs", "8, 1, 1",
     "declare v: i32 = threadIdx.x\ndeclare c: i32 = 0\nwhile 1 < v:\n    if v % 2 == 0:\n        v = v // 2\n    "
     "else:\n        v = 3 * v + 1\n    c = c + 1\n"
     "out[threadIdx.x] = c\n",
     "0 0 1 7 2 5 8 16"},
    {"early return", "8, 1, 1", "if threadIdx.x % 2 == 1:\n    return\nout[threadIdx.x] = n\n", "5 -1 5 -1 5 -1 5 -1"},
    {"inlined functions return early", "8, 1, 1", "out[threadIdx.x] = pick(threadIdx.x) + pick(7)\n",
     "17 18 19 20 107 107 107 14",
     "def pick(i: i32) -> i32:\n    attrs.func_kind = 'cuda_internal'\n    for k in range(10):\n        if k == i:\n   "
     "         if i < 4:\n                return k + 10\n"
     "    if 6 < i:\n        return 7\n    return 100\n\n"},
    {"register tensors with indices that differ", "8, 1, 1",
     "declare register r: i32[8]\nfor i in range(8):\n    r[i] = i * i\nr[threadIdx.x] = r[7 - threadIdx.x] + "
     "1000\nout[threadIdx.x] = r[threadIdx.x]\n",
     "1049 1036 1025 1016 1009 1004 1001 1000"},
    {"bytes behind a pointer to another type", "8, 1, 1",
     "declare register r: f16[4]\nlet p: ~u32 = cast(&r[0], ~u32)\np[0] = u32(1006648320)\np[1] = u32(0)\n"
     "out[threadIdx.x] = cast(cast(r[0], f32) * 10.0, i32) + cast(cast(r[1], f32) * 100.0, i32)\n",
     "110 110 110 110 110 110 110 110"},
    {"half precision rounds", "8, 1, 1",
     "let h: f16 = cast(f[threadIdx.x], f16) * f16(0.1)\nout[threadIdx.x] = cast(cast(h, f32) * 100000.0, i32)\n",
     "0 4998 9997 14990 19995 25000 29980 34985"},
    {"shared memory and a barrier", "64, 1, 1",
     "declare shared s: i32[64]\ns[threadIdx.x] = x[threadIdx.x]\ncuda.syncthreads()\nout[threadIdx.x] = s[63 - "
     "threadIdx.x]\n",
     "63 62 61 60 59 58 57 56"},
    {"shuffles", "64, 1, 1",
     "let a: i32 = cuda.shfl_xor_sync(u32(4294967295), threadIdx.x, 1, 32)\nlet b: i32 = "
     "cuda.shfl_down_sync(u32(4294967295), threadIdx.x, 2, 32)\n"
     "let c: i32 = cuda.shfl_sync(u32(4294967295), threadIdx.x, 3, 8)\nlet d: i32 = cuda.shfl_up_sync(u32(4294967295), "
     "threadIdx.x, 1, 4)\n"
     "out[threadIdx.x] = a * 1000000 + b * 10000 + c * 100 + d\n",
     "1020300 30300 3040301 2050302 5060304 4070304 7080305 6090306"},
    {"votes", "32, 1, 1",
     "let b: u32 = cuda.ballot_sync(u32(4294967295), threadIdx.x < 3)\nlet a: i32 = cuda.any_sync(u32(4294967295), "
     "threadIdx.x == 31)\n"
     "let c: i32 = cuda.all_sync(u32(4294967295), threadIdx.x < 31)\nout[threadIdx.x] = cast(b, i32) * 100 + a * 10 + "
     "c\n",
     "710 710 710 710 710 710 710 710"},
    {"atomics count", "64, 1, 1",
     "cuda.atomic_add(&out[threadIdx.x % 2], 1)\nif threadIdx.x == 9:\n    cuda.atomic_max(&out[2], "
     "40)\n    cuda.atomic_cas(&out[3], -1, 8)\n    cuda.atomic_exchange(&out[4], 6)\n",
     "31 31 40 8 6 -1 -1 -1"},
    {"barriers that count", "64, 1, 1",
     "let c: i32 = cuda.syncthreads_count(threadIdx.x < 10)\nlet a: i32 = cuda.syncthreads_and(threadIdx.x < 64)\nlet "
     "o: i32 = cuda.syncthreads_or(64 < threadIdx.x)\n"
     "out[threadIdx.x] = c * 100 + a * 10 + o\n",
     "1010 1010 1010 1010 1010 1010 1010 1010"},
    {"warps part ways at a barrier each", "64, 1, 1",
     "declare shared s: i32[64]\nif threadIdx.x < 32:\n    s[threadIdx.x] = threadIdx.x\n    "
     "cuda.syncthreads()\nelse:\n    cuda.syncthreads()\n"
     "    out[threadIdx.x - 32] = s[threadIdx.x - 32] + 100\n",
     "100 101 102 103 104 105 106 107"},
    {"producer and consumer with named barriers", "64, 1, 1",
     "declare shared s: i32[32]\nif threadIdx.x < 32:\n    for i in range(3):\n        s[threadIdx.x] "
     "= i * 10 + threadIdx.x\n        cuda.barrier_sync(1, 64)\n        cuda.barrier_sync(2, 64)\n"
     "else:\n    declare t: i32 = 0\n    for j in range(3):\n        cuda.barrier_sync(1, 64)\n       "
     " t = t + s[threadIdx.x - 32]\n        cuda.barrier_sync(2, 64)\n    out[threadIdx.x - 32] = t\n",
     "30 33 36 39 42 45 48 51"},
    {"a lock between blocks", "32, 1, 1",
     "if threadIdx.x == 0:\n    while cuda.load(&out[0], type=i32) != -1 - blockIdx.x:\n        cuda.nano_sleep(10)\n  "
     "  cuda.store(&out[0], -2 - blockIdx.x)\n"
     "    out[blockIdx.x + 1] = blockIdx.x\n",
     "-6 0 1 2 3 4 -1 -1", "", "5, 1, 1"},
    {"dynamic shared memory", "8, 1, 1",
     "let p: ~i32 = cuda.dynamic_shared_memory(64, type=~i32)\np[threadIdx.x] = threadIdx.x * "
     "3\ncuda.syncthreads()\nout[threadIdx.x] = p[7 - threadIdx.x]\n",
     "21 18 15 12 9 6 3 0", "", "1, 1, 1", "128"},
    {"asynchronous copies", "8, 1, 1",
     "declare shared s: i32[32]\ncuda.cp_async(&s[threadIdx.x * 4], &x[threadIdx.x * 4], attr='16.always."
     "0.evict_normal')\ncuda.cp_async_commit_group()\n"
     "let early: i32 = s[threadIdx.x * 4]\ncuda.cp_async_wait_group(0)\ncuda.syncthreads()\nout[threadIdx.x] = s[31 - "
     "threadIdx.x] * 10 + early\n",
     "309 299 289 279 269 259 249 239"},
    {"vectors in registers", "8, 1, 1",
     "let p: ~f32x2 = cast(&f[0], ~f32x2)\nlet v: f32x2 = p[threadIdx.x] + p[0]\nout[threadIdx.x] "
     "= cast(math.lane(v, 0, type=f32) * 10.0 + math.lane(v, 1, type=f32) * 1000.0, i32)\n",
     "1000 2010 3020 4030 5040 6050 7060 8070"},
    {"text in the order of blocks and threads", "2, 1, 1", "printf('%d.%d %s ', blockIdx.x, threadIdx.x, 'go')\n",
     "0.0 go 0.1 go 1.0 go 1.1 go -1", "", "2, 1, 1", "0", 1},
    // One mistake each.
    {"reads behind the end", "8, 1, 1", "out[threadIdx.x] = x[threadIdx.x * 40]\n",
     "kernel 'kernel' reads x[280], outside of its shape [256] (block (0, 0, 0), thread (7, 0, 0))"},
    {"writes before the beginning", "8, 1, 1", "out[threadIdx.x - 2] = 1\n",
     "kernel 'kernel' writes out[-2], outside of its shape [256] (block (0, 0, 0), thread (0, 0, 0)), like 1 other "
     "thread"},
    {"an index in the wrong dimension", "8, 1, 1", "declare shared s: i32[4, 8]\ns[threadIdx.x, 0] = 1\n",
     "kernel 'kernel' writes s[4, 0], outside of its shape [4, 8] (block (0, 0, 0), thread (4, 0, 0)), like 3 other "
     "threads"},
    {"a register tensor's end", "8, 1, 1", "declare register r: i32[4]\nr[threadIdx.x] = 1\nout[0] = r[0]\n",
     "kernel 'kernel' writes r[4], outside of its shape [4] (block (0, 0, 0), thread (4, 0, 0)), like 3 other threads"},
    {"a null pointer", "2, 1, 1", "let p: ~i32 = cast(u64(0), ~i32)\np[threadIdx.x] = 1\n",
     "kernel 'kernel' writes p[0] through a null pointer (block (0, 0, 0), thread (0, 0, 0))"},
    {"a pointer past the end", "4, 1, 1", "let p: ~i32 = &x[0] + 254\nout[threadIdx.x] = p[threadIdx.x]\n",
     "kernel 'kernel' reads x[2] (byte 1024), outside of its 256 elements of i32 (block (0, 0, 0), thread (2, 0, 0)), "
     "like 1 other thread"},
    {"an address that is not aligned", "4, 1, 1",
     "let p: ~i64 = cast(&x[1], ~i64)\nout[threadIdx.x] = cast(p[threadIdx.x], i32)\n",
     "kernel 'kernel' reads x[0] at an address that is not a multiple of 8 bytes (block (0, 0, 0), thread (0, 0, 0))"},
    {"a division by zero", "8, 1, 1", "out[threadIdx.x] = n // (threadIdx.x - 3)\n",
     "kernel 'kernel' divides an integer by zero (block (0, 0, 0), thread (3, 0, 0))"},
    {"an assertion", "8, 1, 1", "assert threadIdx.x < 6, 'too far'\n",
     "kernel 'kernel' fails an assertion: too far (block (0, 0, 0), thread (6, 0, 0))"},
    {"a barrier in one half of a warp", "32, 1, 1", "if threadIdx.x < 16:\n    cuda.syncthreads()\n",
     "kernel 'kernel' reaches a barrier that thread 16 of the same warp does not reach: threads part ways before it "
     "(block (0, 0, 0), thread (0, 0, 0))"},
    {"a shuffle from a lane that is away", "32, 1, 1",
     "if threadIdx.x < 16:\n    out[threadIdx.x] = cuda.shfl_down_sync(u32(65535), threadIdx.x, 1, 32)\n",
     "kernel 'kernel' shuffles from lane 16, which does not take part (block (0, 0, 0), thread (15, 0, 0))"},
    {"a shuffle with too wide a mask", "32, 1, 1",
     "if threadIdx.x < 16:\n    out[threadIdx.x] = cuda.shfl_xor_sync(u32(4294967295), threadIdx.x, 1, 32)\n",
     "kernel 'kernel' shuffles with a mask that names lane 16, which does not take part (block (0, 0, 0), thread (0, "
     "0, 0))"},
    {"a deadlock of named barriers", "64, 1, 1",
     "if threadIdx.x < 32:\n    cuda.barrier_sync(1, 64)\nelse:\n    cuda.barrier_sync(2, 64)\n",
     "kernel 'kernel' waits for ever: thread 0 and 31 others at barrier 1 (32 of 64 arrived); thread "
     "32 and 31 others at barrier 2 (32 of 64 arrived) (block (0, 0, 0), thread (0, 0, 0))"},
    {"a loop without end", "32, 1, 1", "while n == 5:\n    out[threadIdx.x] = 1\n",
     "kernel 'kernel' exceeded the step limit (--max-steps); is this loop infinite? (block (0, 0, 0), "
     "thread (0, 0, 0))"},
    {"a spin that nobody ends", "32, 1, 1", "while cuda.load(&out[0], type=i32) == -1:\n    cuda.nano_sleep(10)\n",
     "kernel 'kernel' waits for ever: thread 0 and 31 others in a loop (block (0, 0, 0), thread (0, 0, 0))"},
};

} // namespace

TEST_CASE("every specimen is found, however it runs") {
    for (const Specimen& specimen : specimens)
        SUBCASE(specimen.name) {
            std::string first = run_with(specimen, {.threads = 1});
            REQUIRE(first == specimen.expected);
            for (int lanes : {32, 64})
                for (std::uint64_t seed : {0, 1, 2})
                    REQUIRE(run_with(specimen, {.seed = seed, .threads = 2, .lanes = lanes}) == first);
            for (vm::VectorIsa isa : {vm::VectorIsa::V2, vm::VectorIsa::V3, vm::VectorIsa::V4})
                if (vm::has_isa(isa))
                    REQUIRE(run_with(specimen, {.isa = isa}) == first);
        }
}
