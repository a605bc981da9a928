// SPDX-License-Identifier: Apache-2.0
// Integers of generated CUDA C++ wrap though the language says that signed arithmetic never overflows: the text of random
// kernels is compiled as C++ in which an overflow is a trap, and computes what the virtual machine computes. No GPU is
// needed. Skipped where there is no C++ compiler.
#include <cstdio>
#include <doctest/doctest.h>
#include <string>

#include "compiler/codegen/bytecode/generate.h"
#include "compiler/codegen/cuda/generate.h"
#include "compiler/ir/text/print.h"
#include "runtime/vm/machine.h"
#include "tests/unit/codegen/loaded.h"
#include "tests/unit/codegen/many_programs.h"
#include "tests/unit/codegen/random_expr.h"
#include "tests/unit/codegen/with_cxx.h"

using namespace hidet;
using namespace hidet::ir;

namespace {

constexpr int kernels = 400;
constexpr int wrapped_programs = 60;

// What CUDA has by itself and C++ has not.
constexpr const char* cuda_words = R"(
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
struct Index { unsigned x, y, z; };
static Index threadIdx, blockIdx = {2, 0, 0};
static inline void ignore(const char*, ...) {}
#define printf ignore
#define __builtin_assume(condition)
extern "C" void set_thread(unsigned x) { threadIdx.x = x; }
#define HIDET_MIN_MAX(T) \
    static inline T min(T a, T b) { return a < b ? a : b; } \
    static inline T max(T a, T b) { return a < b ? b : a; }
HIDET_MIN_MAX(int)
HIDET_MIN_MAX(unsigned)
HIDET_MIN_MAX(long long)
HIDET_MIN_MAX(unsigned long long)
)";

bool is_for_threads(std::uint64_t seed) {
    return seed % 2 == 1;
}

std::vector<std::int64_t> run_machine(const artifact::Program& program, const std::string& name) {
    std::vector<std::int64_t> x = test::expression_inputs(), out(test::expr_rows);
    vm::Machine machine(vm::MachineOptions{});
    auto map = [&](std::vector<std::int64_t>& data) {
        return machine.map(data.data(), data.size() * 8, {.device = Device::Cpu});
    };
    vm::CallResult result = machine.call(program, name, {map(x), map(out)});
    if (!result.ok)
        FAIL(cat(name, ": ", result.findings.front().message));
    return out;
}

test::Loaded compile(toolchain::Compiler& compiler, const ModuleRef& module) {
    DiagnosticSink sink;
    auto source = compiler::generate_cuda(module, artifact::default_gpu(), sink);
    if (!source)
        FAIL(sink.all().front().message);
    return test::Loaded(compiler, cuda_words + source->text,
                        {"-O1", "-w", "-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error"});
}

void compare_wrapped_expressions(toolchain::Compiler& compiler) {
    std::vector<FunctionRef> on_host, on_gpu;
    for (std::uint64_t seed = 1; seed <= kernels; ++seed) {
        auto function = [&](FuncKind kind) {
            test::Random random(seed);
            return test::random_expression(random, cat("e", seed), kind, test::ExprTypes::Integers);
        };
        on_host.push_back(function(FuncKind::Public));
        FunctionRef kernel = function(FuncKind::CudaKernel);
        on_gpu.push_back(is_for_threads(seed) ? test::for_threads(kernel) : kernel);
    }
    DiagnosticSink sink;
    auto program = compiler::generate_bytecode(test::module_of(on_host, Level::Kernel), sink);
    REQUIRE(program.has_value());
    test::Loaded code = compile(compiler, test::module_of(on_gpu, Level::Kernel));
    for (std::uint64_t seed = 1; seed <= kernels; ++seed) {
        std::string name = cat("e", seed);
        std::vector<std::int64_t> x = test::expression_inputs(), out(test::expr_rows);
        auto kernel = code.find<void (*)(std::int64_t*, std::int64_t*)>(name);
        for (unsigned t = 0; t < (is_for_threads(seed) ? test::expr_rows : 1); ++t) {
            code.find<void (*)(unsigned)>("set_thread")(t);
            kernel(x.data(), out.data());
        }
        if (out != run_machine(*program, name))
            FAIL(cat(name, " differs\n", print_function(*on_gpu[seed - 1]).text));
    }
}

void compare_wrapped_programs(toolchain::Compiler& compiler) {
    test::ManyPrograms all = test::many_programs(wrapped_programs);
    DiagnosticSink sink;
    auto program = compiler::generate_bytecode(all.on_host, sink);
    REQUIRE(program.has_value());
    test::Loaded code = compile(compiler, all.on_gpu);
    for (const std::string& name : all.names) {
        test::ProgramMemory expected = test::run_on_machine(*program, name), actual;
        if (!expected.failure.empty())
            continue;
        using Kernel = void (*)(std::int32_t*, std::int32_t*, int);
        code.find<Kernel>(name)(actual.x.data(), actual.y.data(), test::program_argument);
        if (actual.x != expected.x || actual.y != expected.y)
            FAIL(cat(name, " differs\n", print_function(*find_function(*all.on_gpu, name)).text));
    }
}

} // namespace

TEST_CASE_FIXTURE(test::WithCxx, "expressions do not overflow, and wrap") {
    if (is_skipped())
        return;
    compare_wrapped_expressions(compiler);
}

TEST_CASE_FIXTURE(test::WithCxx, "programs do not overflow, and wrap") {
    if (is_skipped())
        return;
    compare_wrapped_programs(compiler);
}
