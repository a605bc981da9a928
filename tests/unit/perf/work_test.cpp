// SPDX-License-Identifier: Apache-2.0
// What a launch computes and touches is counted from its IR.
#include "compiler/perf/work.h"

#include "compiler/analysis/parameter_accesses.h"

#include <cmath>
#include <doctest/doctest.h>
#include <string>

#include "compiler/ir/text/parse_text.h"
#include "tests/unit/ir/parsed.h"
#include "tests/unit/passes/support.h"

using namespace hidet;
using namespace hidet::compiler;
using namespace hidet::perf;

namespace {

WorkCount count(const std::string& text, const char* function, const KnownValues& known = {}) {
    ir::ModuleRef module = test::parsed_module(text);
    return count_work(*ir::find_function(*module, function), *module, known);
}

const char* const matmul = R"(module '' level kernel

def matmul(a: ~f32, b: ~f32, c: ~f32):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 4, 8, 1
    attrs.cuda.block_dim = 16, 16, 1
    declare total: f32 = 0.0
    for p in range(80):
        total = total + a[threadIdx.y * 80 + p] * b[p * 64 + threadIdx.x]
    c[threadIdx.y * 64 + threadIdx.x] = total

def launch(a: ~f32, b: ~f32, c: ~f32):
    attrs.func_kind = 'public'
    launch matmul(a, b, c), grid=[4, 8, 1], cluster=[1, 1, 1], block=[16, 16, 1], dynamic_smem_bytes=0
)";

TEST_CASE("a launch counts all its threads") {
    WorkCount work = count(matmul, "launch");
    REQUIRE((work.unknown.empty() && work.flops == 2.0 * 80 * 4 * 8 * 256 && !work.is_upper_bound));
}

TEST_CASE("sums are of the type of most additions") {
    std::string narrow = matmul;
    auto replace = [&](const std::string& from, const std::string& to) {
        narrow.replace(narrow.find(from), from.size(), to);
    };
    REQUIRE(count(matmul, "launch").sum_type == ir::DType::F32);
    replace("declare total: f32 = 0.0", "declare total: f16 = f16(0.0)");
    replace("a: ~f32, b: ~f32, c: ~f32", "a: ~f16, b: ~f16, c: ~f16");
    replace("launch(a: ~f32, b: ~f32, c: ~f32", "launch(a: ~f16, b: ~f16, c: ~f16");
    REQUIRE(count(narrow, "launch").sum_type == ir::DType::F16);
}

TEST_CASE("what a launch reads and writes is what its kernel does") {
    ir::ModuleRef module = test::parsed_module(matmul);
    auto accesses = parameter_accesses(*ir::find_function(*module, "launch"), *module);
    REQUIRE(accesses.size() == 3);
    REQUIRE((accesses[0].read && !accesses[0].written && accesses[1].read && !accesses[1].written));
    REQUIRE((!accesses[2].read && accesses[2].written));
}

const char* const loops = R"(module '' level kernel

def triangle(x: ~f32, n: i32):
    attrs.func_kind = 'cpu_kernel'
    for i in range(10):
        for j in range(i):
            x[i] = x[i] + 1.0

def dynamic(x: ~f32, n: i32):
    attrs.func_kind = 'cpu_kernel'
    for i in range(n):
        x[i] = math.fma(x[i], x[i], 1.0)

def guarded(x: ~f32, n: i32):
    attrs.func_kind = 'cpu_kernel'
    for i in range(8):
        if x[i] < 3.0:
            x[i] = x[i] * 2.0

def endless(x: ~f32, n: i32):
    attrs.func_kind = 'cpu_kernel'
    while x[0] < 3.0:
        x[0] = x[0] * 2.0
)";

TEST_CASE("loops whose length depends on others are walked") {
    WorkCount work = count(loops, "triangle");
    REQUIRE((work.unknown.empty() && work.flops == 45));
}

TEST_CASE("a parameter that is known decides a loop and one that is not leaves it unknown") {
    ir::ModuleRef module = test::parsed_module(loops);
    const ir::Function* function = ir::find_function(*module, "dynamic");
    WorkCount known = count_work(*function, *module, {{function->params[1].get(), 100}});
    REQUIRE((known.unknown.empty() && known.flops == 200));
    REQUIRE(!count_work(*function, *module, {}).unknown.empty());
}

TEST_CASE("a condition on data gives an upper bound and a while loop counts once") {
    WorkCount guarded = count(loops, "guarded");
    REQUIRE((guarded.flops == 8 && guarded.is_upper_bound));
    const WorkCount endless = count(loops, "endless");
    REQUIRE((endless.unknown.size() == 1 && endless.unknown[0].what == "a while loop" && endless.flops == 1));
}

const char* const roles = R"(module '' level kernel

def product(x: ~f32):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 2, 1, 1
    attrs.cuda.block_dim = 384, 1, 1
    let group: i32 = threadIdx.x / 128
    declare sums: f32[32]
    if group == 0:
        x[0] = x[0] + 1.0
    else:
        for step in range(10):
            cuda.wgmma_async(u64(0), &sums[0], u64(0), 1, attr='f16_f32.n64.1.1.0.0')

def leader(x: ~f32):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 1, 1, 1
    attrs.cuda.block_dim = 64, 1, 1
    if threadIdx.x rem 32 == 0:
        x[0] = x[0] + 1.0
)";

TEST_CASE("warps that have different parts are counted each for itself") {
    const WorkCount work = count(roles, "product");
    REQUIRE((work.unknown.empty() && !work.is_upper_bound && work.matrix_type == "f16"));
    REQUIRE(work.matrix_flops * 384 == doctest::Approx(2.0 * 10 * 2 * 64 * 64 * 16)); // two groups of a block
    REQUIRE(work.flops * 384 == doctest::Approx(128));
}

TEST_CASE("what one lane of a warp does counts for all and as at most that") {
    const WorkCount work = count(roles, "leader");
    REQUIRE((work.flops == 1 && work.is_upper_bound));
}

const char* const followed = R"(module '' level kernel

def stride(x: ~f32):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 4, 1, 1
    attrs.cuda.block_dim = 64, 1, 1
    declare i: i32 = blockIdx.x * 64 + threadIdx.x
    while i < 1000:
        x[i] = x[i] + 1.0
        i = i + 256

def leaves(x: ~f32):
    attrs.func_kind = 'cpu_kernel'
    declare i: i32 = 0
    while i < 1000:
        x[i] = x[i] + 1.0
        i = i + 1
        if i == 7:
            break

def in_a_loop(x: ~f32):
    attrs.func_kind = 'cpu_kernel'
    for j in range(10):
        declare i: i32 = 0
        while i < j:
            x[i] = x[i] + 1.0
            i = i + 1

def after_data(x: ~f32):
    attrs.func_kind = 'cpu_kernel'
    declare i: i32 = 0
    while i < 8:
        i = i + 1
        if x[i] < 3.0:
            i = i + 1

def left_by_data(x: ~f32):
    attrs.func_kind = 'cpu_kernel'
    for i in range(8):
        x[i] = x[i] + 1.0
        if x[i] < 3.0:
            break

def diverging(x: ~f32):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 1, 1, 1
    attrs.cuda.block_dim = 64, 1, 1
    if threadIdx.x rem 2 == 0:
        x[0] = x[0] + 1.0
    else:
        x[1] = math.exp(x[1]) * x[0] + 2.0
)";

TEST_CASE("a while loop that numbers decide is followed in each block") {
    const WorkCount stride = count(followed, "stride");
    REQUIRE((stride.unknown.empty() && stride.flops * 256 == doctest::Approx(1000).epsilon(0.03)));
    REQUIRE((count(followed, "leaves").flops == 7 && count(followed, "leaves").unknown.empty()));
    REQUIRE((count(followed, "in_a_loop").flops == 45 && count(followed, "in_a_loop").unknown.empty()));
}

TEST_CASE("data that decides how long a loop runs makes that unknown, and an early end at most") {
    REQUIRE(count(followed, "after_data").unknown.size() == 1);
    const WorkCount left = count(followed, "left_by_data");
    REQUIRE((left.unknown.empty() && left.flops == 8 && left.is_upper_bound));
}

TEST_CASE("a warp whose lanes differ runs both sides") {
    const WorkCount work = count(followed, "diverging");
    REQUIRE((work.flops == 2 && work.instructions == 1 + 4 + 1 && work.special == 1));
}

} // namespace
