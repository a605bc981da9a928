// SPDX-License-Identifier: Apache-2.0
// The serial backend: its text, its results beside those of the virtual machine, and what it refuses.
#include <doctest/doctest.h>

#include "compiler/transform/pass.h"
#include "lang/base/text.h"
#include "tests/unit/codegen/loaded.h"
#include "tests/unit/codegen/serial/generate.h"
#include "tests/unit/codegen/with_cxx.h"
#include "tests/unit/ir/parsed.h"
#include "tests/unit/vm/support.h"

using namespace hidet;

namespace {

constexpr int width = 37, height = 5;

// Index arithmetic on both axes, a loop, a condition, a device function, division that rounds down, integers that wrap.
test::KernelText mixing() {
    return {.params = "x: ~i32, y: ~i32",
            .args = "x, y",
            .grid = "3, 2, 1",
            .block = "16, 4, 1",
            .body = "let column: i32 = blockIdx.x * 16 + threadIdx.x\n"
                    "let row: i32 = blockIdx.y * 4 + threadIdx.y\n"
                    "if column < 37 and row < 5:\n"
                    "    declare total: i32 = 0\n"
                    "    for i in range(row + 1):\n"
                    "        total = total + mixed(x[i * 37 + column], column - row)\n"
                    "    y[row * 37 + column] = total\n",
            .functions = "def mixed(value: i32, by: i32) -> i32:\n"
                         "    attrs.func_kind = 'cuda_internal'\n"
                         "    return value * 65599 + by // 3 - by % 4\n\n",
            .level = "kernel"};
}

std::vector<std::int32_t> input() {
    std::vector<std::int32_t> values(width * height);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<std::int32_t>(i * 2654435761u);
    return values;
}

std::vector<std::int32_t> emulated() {
    std::vector<std::int32_t> x = input(), y(x.size());
    vm::Machine machine(vm::MachineOptions{});
    REQUIRE(test::run(test::compile(test::module_text(mixing())), machine,
                      {test::map(machine, x, "x"), test::map(machine, y, "y")}) == "");
    return y;
}

constexpr const char* kernel_text = R"(static void kernel(const thread_place& at, const int* x, int* y) {
    const int column = at.block.x * 16 + at.thread.x;
    const int row = at.block.y * 4 + at.thread.y;
    if (column < 37 && row < 5) {
        int total = 0;
        for (int i = 0; i < row + 1; ++i) {
            total += unsigned(mixed(at, x[i * 37 + column], column - row));
        }
        y[row * 37 + column] = total;
    }
}

extern "C" void run_kernel(const unsigned* launch, void* const* args) {
    thread_place at{{launch[0], launch[1], launch[2]}, {launch[3], launch[4], launch[5]}, {}, {}};
    for (at.block.z = 0; at.block.z < at.grid_dim.z; ++at.block.z)
        for (at.block.y = 0; at.block.y < at.grid_dim.y; ++at.block.y)
            for (at.block.x = 0; at.block.x < at.grid_dim.x; ++at.block.x)
                for (at.thread.z = 0; at.thread.z < at.block_dim.z; ++at.thread.z)
                    for (at.thread.y = 0; at.thread.y < at.block_dim.y; ++at.thread.y)
                        for (at.thread.x = 0; at.thread.x < at.block_dim.x; ++at.thread.x)
                            kernel(at, *static_cast<int**>(args[0]), *static_cast<int**>(args[1]));
}
)";

} // namespace

TEST_CASE("a kernel is a function of a thread and loops over threads") {
    DiagnosticSink sink;
    auto source = test::generate_serial(test::parsed_module(test::module_text(mixing())), sink);
    REQUIRE(source.has_value());
    REQUIRE(source->text.substr(source->text.find("static void kernel")) == kernel_text);
    REQUIRE(source->entries.size() == 1u);
}

TEST_CASE_FIXTURE(test::WithCxx, "threads one after the other compute what the virtual machine does") {
    if (is_skipped())
        return;
    DiagnosticSink sink;
    auto source = test::generate_serial(test::parsed_module(test::module_text(mixing())), sink);
    REQUIRE(source.has_value());
    test::Loaded code(compiler, source->text,
                      {"-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error"});
    std::vector<std::int32_t> x = input(), y(x.size());
    void* pointers[] = {x.data(), y.data()};
    void* args[] = {&pointers[0], &pointers[1]};
    const unsigned launch[] = {3, 2, 1, 16, 4, 1};
    code.find<void (*)(const unsigned*, void* const*)>(source->entries[0].symbol)(launch, args);
    REQUIRE(y == emulated());
}

TEST_CASE("what needs threads at the same time is refused where it stands") {
    test::KernelText k{.params = "x: ~f32", .args = "x", .level = "kernel"};
    k.body = "declare shared tile: f32[32]\ntile[threadIdx.x] = x[threadIdx.x]\ncuda.syncthreads()\nx[threadIdx.x] = "
             "tile[0]\n";
    DiagnosticSink sink;
    REQUIRE(!test::generate_serial(test::parsed_module(test::module_text(k)), sink).has_value());
    REQUIRE(sink.error_count() == 2);
    for (const Diagnostic& diagnostic : sink.all())
        REQUIRE((diagnostic.span.begin != diagnostic.span.end &&
                 diagnostic.message.find("serial C++") != std::string::npos));
}
