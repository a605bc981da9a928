// SPDX-License-Identifier: Apache-2.0
// Marks of kernels, read from a variable of the module after the launch that is asked for.
#include <doctest/doctest.h>

#include "tests/unit/cuda/emulated.h"
#include "tests/unit/vm/support.h"

using namespace hidet;
using namespace hidet::test;

namespace {

std::string marked_kernel_text() {
    KernelText k{.params = "a: ~f32", .args = "a", .grid = "4, 2, 1"};
    k.body = "a[threadIdx.x] = 1.0\n";
    return module_text(k);
}

// A kernel that writes down which block it was told, where it has marks.
struct MarkedGpu : Rig {
    explicit MarkedGpu(const std::string& globals)
        : program(compile(marked_kernel_text())), backend(stream), machine({.backend = &backend}),
          compiled(module(test::module_text(entries_of(program)) + globals)) {
        backend.add(program, compiled, entries_of(program));
        fake_cuda_on_launch(
            [](const FakeCudaLaunch*, void* data) {
                auto& self = *static_cast<MarkedGpu*>(data);
                if (std::uint64_t* marks = self.words(artifact::marks_name))
                    marks[9] = *self.words(artifact::marked_block_name);
                ++self.launches;
            },
            this);
    }
    ~MarkedGpu() { fake_cuda_on_launch(nullptr, nullptr); }
    std::uint64_t* words(const char* name) { // of the device, which is memory here
        const auto global = compiled->global(name);
        return global ? reinterpret_cast<std::uint64_t*>(global.value().address) : nullptr;
    }
    bool call() {
        if (!buffer)
            buffer = must(cuda::DeviceBuffer::allocate(stream, 128, "a"));
        return machine
            .call(program, "launch",
                  {machine.map(nullptr, 128,
                               {.name = "a", .dtype = "f32", .shape = {32}, .device_address = buffer.address()})})
            .ok;
    }

    artifact::Program program;
    cuda::Backend backend;
    vm::Machine machine;
    std::shared_ptr<cuda::Module> compiled;
    cuda::DeviceBuffer buffer;
    int launches = 0;
};

const std::string mark_globals = cat("global ", artifact::marks_name, " ", artifact::words_of_marks * 8, "\nglobal ",
                                     artifact::marked_block_name, " 8\n");

} // namespace

TEST_CASE("the words of a launch that is asked for are read, of the block that is asked for") {
    MarkedGpu gpu(mark_globals);
    int asked = 0;
    gpu.backend.read_marks([&](const artifact::Function&) { return ++asked == 2; }, {1, 1, 0});
    for (int i = 0; i < 3; ++i)
        REQUIRE(gpu.call());
    REQUIRE(gpu.launches == 3);
    const std::vector<artifact::MarkedBlock> marked = gpu.backend.take_marked();
    REQUIRE(marked.size() == 1);
    REQUIRE(marked[0].kernel == "kernel");
    REQUIRE(marked[0].block == 5);
    REQUIRE(marked[0].words.size() == static_cast<std::size_t>(artifact::words_of_marks));
    REQUIRE(marked[0].words[9] == 6);
    REQUIRE(*gpu.words(artifact::marked_block_name) == 0);
    REQUIRE(gpu.words(artifact::marks_name)[9] == 0); // the launch after it was told no block
    REQUIRE(gpu.backend.take_marked().empty());
}

TEST_CASE("a kernel writes marks that nobody reads while what they cost is measured") {
    MarkedGpu gpu(mark_globals);
    must(gpu.backend.write_marks(gpu.program, 3));
    REQUIRE(gpu.call());
    REQUIRE(gpu.words(artifact::marks_name)[9] == 4);
    must(gpu.backend.write_marks(gpu.program, std::nullopt));
    REQUIRE(gpu.call());
    REQUIRE(gpu.words(artifact::marks_name)[9] == 0);
    REQUIRE(gpu.backend.take_marked().empty());
}

TEST_CASE("a kernel without marks, and a block that the launch has not, are launched all the same") {
    MarkedGpu plain("");
    plain.backend.read_marks([](const artifact::Function&) { return true; });
    REQUIRE(plain.call());
    must(plain.backend.write_marks(plain.program, 0));
    MarkedGpu gpu(mark_globals);
    gpu.backend.read_marks([](const artifact::Function&) { return true; }, {8, 0, 0});
    REQUIRE(gpu.call());
    REQUIRE(gpu.launches == 1);
    REQUIRE(gpu.backend.take_marked().empty());
}
