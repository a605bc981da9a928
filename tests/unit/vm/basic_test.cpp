// SPDX-License-Identifier: Apache-2.0
// Whole kernels, from IR text to results.
#include <atomic>
#include <doctest/doctest.h>
#include <numeric>
#include <string>
#include <string_view>

#include "tests/unit/vm/support.h"

using namespace hidet;
using namespace hidet::test;

namespace {

std::vector<float> numbers(std::size_t count, int seed) {
    std::vector<float> out(count);
    std::uint32_t state = static_cast<std::uint32_t>(seed) * 2654435761u + 12345u;
    for (float& x : out) {
        state = state * 1664525u + 1013904223u;
        x = static_cast<float>(static_cast<int>(state >> 20) - 2048) / 1024.0f;
    }
    return out;
}

std::vector<float> reference_matmul(const std::vector<float>& a, const std::vector<float>& b, int m, int n, int k) {
    std::vector<float> c(static_cast<std::size_t>(m * n));
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < k; ++l)
                sum += a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
            c[static_cast<std::size_t>(i * n + j)] = sum;
        }
    return c;
}

} // namespace

TEST_CASE("a public function prints and returns") {
    auto program =
        compile("module 'm' level loop\n\ndef hello(n: i32) -> f32:\n    attrs.func_kind = 'public'\n"
                "    declare total: f32 = 0.0\n    for i in range(n):\n        total = total + cast(i, f32) * 0.5\n"
                "        printf('i = %d, %5.2f\\n', i, total)\n    return total\n");
    std::string output;
    vm::Machine machine({.print = [&](std::string_view text) { output += text; }});
    vm::CallResult result = machine.call(program, "hello", {std::int64_t{3}});
    REQUIRE(result.ok);
    REQUIRE(output == "i = 0,  0.00\ni = 1,  0.50\ni = 2,  1.50\n");
    REQUIRE(std::get<double>(result.value) == 1.5);
}

TEST_CASE("a launch prints up to a limit, the same lines on any number of threads, and says that there is more") {
    KernelText k{.params = "a: ~i32", .args = "a", .grid = "40, 1, 1"};
    k.body = "printf('%d %d\\n', blockIdx.x, threadIdx.x)\n";
    const artifact::Program program = compile(module_text(k));
    std::string whole;
    vm::Machine free({.print = [&](std::string_view text) { whole += text; }});
    std::vector<std::int32_t> a(32, 1);
    REQUIRE(run(program, free, {map(free, a, "a")}) == "");
    REQUIRE(whole.ends_with("39 31\n"));
    for (const std::size_t most : {0u, 3u, 100u, 1000u, 6000u})
        for (const int threads : {1, 3}) {
            std::string output;
            vm::Machine machine(
                {.threads = threads, .print = [&](std::string_view text) { output += text; }, .most_printed = most});
            REQUIRE(run(program, machine, {map(machine, a, "a")}) == "");
            const std::string said = output.substr(0, output.find('['));
            REQUIRE(said == whole.substr(0, whole.substr(0, most).rfind('\n') + 1));
            REQUIRE(output.substr(said.size()).starts_with("[the rest is left out: kernel 'kernel' prints more than "));
        }
    std::string output;
    vm::Machine enough({.print = [&](std::string_view text) { output += text; }, .most_printed = whole.size()});
    REQUIRE(run(program, enough, {map(enough, a, "a")}) == "");
    REQUIRE(output == whole);
}

TEST_CASE("memory that is read-only keeps its values") {
    KernelText k{.params = "a: ~i32", .args = "a"};
    k.body = "a[threadIdx.x] = 7\n";
    std::vector<std::int32_t> a(32, 1);
    vm::Machine machine;
    vm::Pointer pointer =
        machine.map(a.data(), a.size() * sizeof a[0], {.name = "a", .dtype = "i32", .shape = {32}, .read_only = true});
    REQUIRE(run(compile(module_text(k)), machine, {pointer}) ==
            "kernel 'kernel' writes a[0] in memory that is read-only (block (0, 0, 0), thread (0, 0, 0))");
    REQUIRE(a == std::vector<std::int32_t>(32, 1));
}

TEST_CASE("a kernel that never ends can be cancelled") {
    KernelText k{.params = "a: ~i32", .args = "a"};
    k.body = "while a[0] == 1:\n    a[1] = a[1] + 1\n";
    std::vector<std::int32_t> a(32, 1);
    std::atomic<bool> cancelled = true;
    vm::Machine machine({.cancelled = &cancelled});
    vm::CallResult result = machine.call(compile(module_text(k)), "launch", {map(machine, a, "a")});
    REQUIRE((!result.ok && result.findings.front().kind == vm::FindingKind::Cancelled));
}

TEST_CASE("a naive matrix product is exact, ragged edges and all") {
    auto program = compile(naive_matmul_text());
    auto a = numbers(33 * 20, 1), b = numbers(20 * 47, 2);
    std::vector<float> c(33 * 47);
    vm::Machine machine;
    REQUIRE(run(program, machine, {map(machine, a, "a"), map(machine, b, "b"), map(machine, c, "c")}) == "");
    REQUIRE(c == reference_matmul(a, b, 33, 47, 20));
}

TEST_CASE("an index outside of its shape is found, with the thread that used it") {
    KernelText k{.params = "a: *f32[16, 16], c: *f32[16, 16]", .args = "a, c", .block = "17, 16, 1"};
    k.body = "c[threadIdx.y, 3] = a[threadIdx.x, 3]\n";
    auto program = compile(module_text(k));
    std::vector<float> a(256), c(256);
    vm::Machine machine;
    REQUIRE(run(program, machine, {map(machine, a, "a"), map(machine, c, "c")}) ==
            "kernel 'kernel' reads a[16, 3], outside of its shape [16, 16] (block (0, 0, 0), thread (16, 0, "
            "0)), like 15 other threads");
}

TEST_CASE("a tensor smaller than its parameter says is found") {
    KernelText k{.params = "a: *f32[10], c: *f32[10]", .args = "a, c", .block = "10, 1, 1"};
    k.body = "c[threadIdx.x] = a[threadIdx.x]\n";
    auto program = compile(module_text(k));
    std::vector<float> a(3), c(10);
    vm::Machine machine;
    REQUIRE(run(program, machine, {map(machine, a, "a", {3}), map(machine, c, "c")}) ==
            "kernel 'kernel' reads a[3] (byte 12), outside of the tensor of shape [3] behind it (block (0, 0, "
            "0), thread (3, 0, 0)), "
            "like 6 other threads");
}

TEST_CASE("shared tiles, barriers and register tensors multiply matrices") {
    KernelText k{.params = "a: *f32[64, 64], b: *f32[64, 64], c: *f32[64, 64]",
                 .args = "a, b, c",
                 .grid = "4, 4, 1",
                 .block = "16, 16, 1"};
    k.body = "declare shared sa: f32[16, 16]\ndeclare shared sb: f32[16, 16]\ndeclare register r: f32[1]\n"
             "r[0] = 0.0\nfor t in range(4):\n"
             "    sa[threadIdx.y, threadIdx.x] = a[blockIdx.y * 16 + threadIdx.y, t * 16 + threadIdx.x]\n"
             "    sb[threadIdx.y, threadIdx.x] = b[t * 16 + threadIdx.y, blockIdx.x * 16 + threadIdx.x]\n"
             "    cuda.syncthreads()\n    for k in range(16):\n"
             "        r[0] = r[0] + sa[threadIdx.y, k] * sb[k, threadIdx.x]\n    cuda.syncthreads()\n"
             "c[blockIdx.y * 16 + threadIdx.y, blockIdx.x * 16 + threadIdx.x] = r[0]\n";
    auto program = compile(module_text(k));
    auto a = numbers(4096, 3), b = numbers(4096, 4);
    for (int lanes : {0, 32, 64, 256}) {
        std::vector<float> c(4096);
        vm::Machine machine({.seed = static_cast<std::uint64_t>(lanes), .lanes = lanes});
        REQUIRE(run(program, machine, {map(machine, a, "a"), map(machine, b, "b"), map(machine, c, "c")}) == "");
        if (c != reference_matmul(a, b, 64, 64, 64))
            FAIL("wrong with ", std::to_string(lanes), " lanes");
    }
}
