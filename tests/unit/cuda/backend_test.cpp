// SPDX-License-Identifier: Apache-2.0
// Host functions on the machine, their kernels on a GPU: the fake driver runs them by the emulator, so that what comes back
// is right or wrong.
#include <doctest/doctest.h>
#include <numeric>
#include <string>
#include <string_view>

#include "tests/unit/cuda/emulated.h"
#include "tests/unit/vm/support.h"

using namespace hidet;
using namespace hidet::test;

namespace {

// A program with its module behind a machine.
struct Loaded : Rig {
    explicit Loaded(const std::string& text, const char* settings = "", cuda::BackendOptions options = {})
        : Rig(settings), program(compile(text)), backend(stream, options),
          machine({.print = [this](std::string_view piece) { output += piece; }, .backend = &backend}) {
        gpu.add(program, entries_of(program));
        backend.add(program, module(test::module_text(entries_of(program))), entries_of(program));
    }
    template <class T>
    vm::Pointer upload(const std::vector<T>& data, const std::string& name, std::vector<std::int64_t> shape,
                       const char* dtype = "f32") {
        std::size_t bytes = data.size() * sizeof(T);
        buffers.push_back(must(cuda::DeviceBuffer::allocate(stream, bytes, name)));
        must(cuda::copy_to_device(*stream, buffers.back().address(), data.data(), bytes));
        return machine.map(
            nullptr, bytes,
            {.name = name, .dtype = dtype, .shape = std::move(shape), .device_address = buffers.back().address()});
    }
    template <class T>
    void download(std::size_t buffer, std::vector<T>& to) {
        must(cuda::copy_to_host(*stream, to.data(), buffers[buffer].address(), to.size() * sizeof(T)));
    }
    std::string call(const std::vector<vm::Argument>& args, const std::string& function = "launch") {
        result = machine.call(program, function, args);
        return result.ok ? "" : result.findings.front().message;
    }
    vm::Finding finding() const {
        if (result.findings.empty())
            FAIL("no finding");
        return result.findings.front();
    }

    artifact::Program program;
    EmulatedGpu gpu;
    cuda::Backend backend;
    std::string output;
    vm::Machine machine;
    std::vector<cuda::DeviceBuffer> buffers;
    vm::CallResult result;
};

std::vector<float> ramp(std::size_t count, float step) {
    std::vector<float> out(count);
    for (std::size_t i = 0; i < count; ++i)
        out[i] = static_cast<float>(i % 97) * step - 3;
    return out;
}

std::string scale_text() {
    KernelText k{.params = "a: ~f32, s: f32, n: i32", .args = "a, s, n", .grid = "2, 1, 1"};
    k.body = "let i: i32 = blockIdx.x * 32 + threadIdx.x\nif i < n:\n    a[i] = a[i] * s\n";
    return module_text(k);
}

// Adds a to a workspace that must be clear, and says where it lies.
std::string workspace_text(const std::string& clean) {
    return "module 'test' level loop\n\ndef kernel(a: ~f32, w: ~f32):\n    attrs.func_kind = 'cuda_kernel'\n"
           "    attrs.cuda.grid_dim = 1, 1, 1\n    attrs.cuda.block_dim = 32, 1, 1\n"
           "    w[threadIdx.x] = w[threadIdx.x] + a[threadIdx.x]\n    a[threadIdx.x] = w[threadIdx.x]\n\n"
           "def launch(a: ~f32):\n    attrs.func_kind = 'public'\n"
           "    let w: ~void = runtime.request_workspace(i64(128), " +
           clean +
           ", attr='cuda', type=~void)\n"
           "    launch kernel(a, cast(w, ~f32)), grid=[1, 1, 1], cluster=[1, 1, 1], block=[32, 1, 1], "
           "dynamic_smem_bytes=0\n";
}

std::string copy_text(const std::string& body) {
    return "module 'test' level loop\n\ndef launch(a: ~f32, b: ~f32):\n    attrs.func_kind = 'public'\n    " + body +
           "\n";
}

TEST_CASE("a launch on the device gives what the emulator gives") {
    Loaded gpu(naive_matmul_text());
    auto a = ramp(33 * 20, 0.25f), b = ramp(20 * 47, 0.5f);
    std::vector<float> c(33 * 47), expected(33 * 47);
    vm::Machine plain;
    REQUIRE(run(gpu.program, plain, {map(plain, a, "a"), map(plain, b, "b"), map(plain, expected, "c")}) == "");
    REQUIRE(gpu.call({gpu.upload(a, "a", {33, 20}), gpu.upload(b, "b", {20, 47}), gpu.upload(c, "c", {33, 47})}) == "");
    must(gpu.backend.wait());
    gpu.download(2, c);
    REQUIRE(gpu.gpu.finding == "");
    REQUIRE(gpu.gpu.launches == 1);
    REQUIRE(c == expected);
    REQUIRE(gpu.result.statistics.launches == 1u);
    REQUIRE(gpu.result.statistics.blocks == 9u);
}

TEST_CASE("views and scalars arrive as they are") {
    Loaded gpu(scale_text());
    auto a = ramp(64, 1);
    std::vector<float> out(64), expected = a;
    vm::Pointer pointer = gpu.upload(a, "a", {64});
    pointer.bits += 4 * 10; // a view from the tenth element on
    REQUIRE(gpu.call({pointer, 0.5, std::int64_t{40}}) == "");
    gpu.download(0, out);
    for (std::size_t i = 10; i < 50; ++i)
        expected[i] *= 0.5f;
    REQUIRE(out == expected);
}

TEST_CASE("a second call makes nothing ready again") {
    Loaded gpu(scale_text());
    vm::Pointer a = gpu.upload(ramp(64, 1), "a", {64});
    for (int i = 0; i < 3; ++i)
        REQUIRE(gpu.call({a, 1.0, std::int64_t{64}}) == "");
    REQUIRE(fake_cuda_calls("cuModuleLoadDataEx") == 1);
    REQUIRE(fake_cuda_calls("cuModuleGetFunction") == 1);
    REQUIRE(fake_cuda_calls("cuLaunchKernelEx") == 3);
}

TEST_CASE("a workspace is clear when it should be, and is kept for the next call") {
    Loaded gpu(workspace_text("True"));
    std::vector<float> out(32);
    vm::Pointer a = gpu.upload(std::vector<float>(32, 2.0f), "a", {32});
    for (int i = 0; i < 3; ++i)
        REQUIRE(gpu.call({a}) == "");
    REQUIRE(fake_cuda_calls("cuMemAllocAsync") == 2); // the tensor and one workspace
    gpu.download(0, out);
    REQUIRE(out == std::vector<float>(32, 2.0f));
    std::size_t before = fake_cuda_bytes();
    gpu.backend.free_workspaces();
    REQUIRE(before - fake_cuda_bytes() == 128u);
}

TEST_CASE("a workspace that need not be clear keeps what was in it") {
    Loaded gpu(workspace_text("False"));
    vm::Pointer a = gpu.upload(std::vector<float>(32, 2.0f), "a", {32});
    REQUIRE(gpu.call({a}) == "");
    REQUIRE(fake_cuda_calls("cuMemsetD8Async") == 0);
}

TEST_CASE("copies go between host and device both ways") {
    Loaded gpu(copy_text("runtime.memcpy(b, a, i64(128), attr='cuda_to_cpu')"));
    auto a = ramp(32, 1);
    std::vector<float> b(32), d(32);
    vm::Pointer host = map(gpu.machine, b, "b", {32}, Device::Cpu);
    vm::Pointer device = gpu.upload(a, "a", {32}), other = gpu.upload(d, "d", {32});
    REQUIRE(gpu.call({device, host}) == "");
    REQUIRE(b == a);
    b.assign(32, 7);
    REQUIRE(gpu.call({host, other}) == "");
    gpu.download(1, d);
    REQUIRE(d == b);
    REQUIRE(gpu.call({device, other}) == "");
    gpu.download(1, d);
    REQUIRE(d == a);
}

TEST_CASE("nothing is launched for an empty grid, and a null pointer stays null") {
    KernelText k{.params = "a: ~f32, n: i32", .args = "a, n", .grid = "n, 1, 1"};
    k.body = "if n < 0:\n    a[0] = 1.0\n";
    Loaded gpu(module_text(k));
    REQUIRE(gpu.call({vm::Pointer{}, std::int64_t{0}}) == "");
    REQUIRE(gpu.gpu.launches == 0);
    REQUIRE(gpu.call({vm::Pointer{}, std::int64_t{3}}) == "");
    REQUIRE(gpu.gpu.launches == 1);
}

TEST_CASE("host code that reads memory of the device is a finding") {
    Loaded gpu(copy_text("b[0] = a[0]"));
    std::vector<float> b(32);
    REQUIRE(gpu.call({gpu.upload(ramp(32, 1), "a", {32}), map(gpu.machine, b, "b", {32}, Device::Cpu)}) ==
            "function 'launch' reads a[0] in memory of the GPU; the tensor must be on the CPU");
    REQUIRE(gpu.finding().kind == vm::FindingKind::WrongDevice);
}

TEST_CASE("a mapped tensor of the CPU goes to a kernel and back, once for all that point into it") {
    Loaded gpu(scale_text());
    std::vector<float> a = ramp(64, 1);
    const auto mapped = [&] {
        return gpu.machine.map(a.data(), a.size() * sizeof(float),
                               {.name = "a", .dtype = "f32", .shape = {64}, .device = Device::Cpu, .is_mapped = true});
    };
    REQUIRE(gpu.call({mapped(), 2.0, std::int64_t{64}}) == "");
    REQUIRE(gpu.gpu.launches == 1);
    std::vector<float> expected = ramp(64, 1);
    for (float& each : expected)
        each *= 2;
    REQUIRE(a == expected);
}

TEST_CASE("a tensor of the CPU does not go to a kernel") {
    Loaded gpu(scale_text());
    std::vector<float> a(64);
    REQUIRE(gpu.call({map(gpu.machine, a, "a", {64}, Device::Cpu), 1.0, std::int64_t{64}}) ==
            "kernel 'kernel' is launched with 'a' in memory of the CPU; the tensor must be on the GPU");
    REQUIRE(gpu.gpu.launches == 0);
}

TEST_CASE("a shape that no GPU takes is found before the driver sees it") {
    Loaded tall(module_text({.params = "a: ~f32", .args = "a", .block = "1, 1, 128"}));
    REQUIRE(tall.call({vm::Pointer{}}) ==
            "kernel 'kernel' is launched with blocks of (1, 1, 128); at most 64 threads are allowed in z");
}

TEST_CASE("a pointer of a tensor that is gone does not go to a kernel") {
    Loaded gpu(scale_text());
    vm::Pointer a = gpu.upload(ramp(64, 1), "a", {64});
    gpu.machine.unmap(a);
    REQUIRE(gpu.call({a, 1.0, std::int64_t{64}}) ==
            "kernel 'kernel' is launched with a pointer that is not an address for 'a'");
}

TEST_CASE("a kernel that fails later is an error with the tensors it was given") {
    Loaded gpu(scale_text(), "fault=k_kernel:700");
    REQUIRE(gpu.call({gpu.upload(ramp(64, 1), "a", {8, 8}), 1.5, std::int64_t{64}}) == "");
    Result<void> ended = gpu.backend.wait();
    REQUIRE_HOLDS(error_text(ended),
                  "[kernel-fault] kernel 'kernel' <<<(2, 1, 1), (32, 1, 1)>>> (a: f32[8, 8], s = 1.5, "
                  "n = 64) accessed an illegal address");
    Diagnostic diagnostic = vm::to_diagnostic(vm::device_finding(ended.error()));
    REQUIRE(diagnostic.id == DiagId::KernelFault);
    REQUIRE(diagnostic.message == ended.error().message);
}

TEST_CASE("waiting after each launch finds a failure at the launch") {
    Loaded gpu(scale_text(), "fault=k_kernel:716", {.wait_after_launch = true});
    REQUIRE_HOLDS(gpu.call({gpu.upload(ramp(64, 1), "a", {64}), 1.5, std::int64_t{64}}),
                  "kernel 'kernel' <<<(2, 1, 1), (32, 1, 1)>>> (a: f32[64], s = 1.5, n = 64) accessed a misaligned");
    REQUIRE(gpu.finding().kind == vm::FindingKind::DeviceError);
    REQUIRE(gpu.finding().code == "kernel-fault");
    REQUIRE(gpu.finding().function == "launch");
}

TEST_CASE("a launch that the driver refuses is a finding at the launch") {
    Loaded gpu(scale_text(), "fail=cuLaunchKernelEx:1:701");
    REQUIRE_HOLDS(gpu.call({gpu.upload(ramp(64, 1), "a", {64}), 1.5, std::int64_t{64}}),
                  "cannot be launched: it needs more registers or threads than the device has for a block");
    REQUIRE(gpu.finding().code == "launch-failed");
    REQUIRE(vm::to_diagnostic(gpu.finding()).id == DiagId::KernelFault);
    REQUIRE(gpu.call({vm::Pointer{}, 1.5, std::int64_t{0}}) == ""); // the next one works
}

TEST_CASE("no memory for a workspace is the machine's failure, not the script's") {
    Loaded gpu(workspace_text("True"), "memory=200");
    REQUIRE(gpu.call({gpu.upload(std::vector<float>(32), "a", {32})}) ==
            "the device is out of memory: a workspace needs 128 bytes, and 72 bytes of the 200 bytes of Fake GPU "
            "are free");
    REQUIRE(vm::to_diagnostic(gpu.finding()).id == DiagId::DeviceError);
}

TEST_CASE("workspaces that nobody uses make room for a larger one") {
    Loaded gpu(workspace_text("True"), "memory=300");
    std::uint64_t small = must(gpu.backend.allocate(200, false));
    gpu.backend.free(small);
    must(gpu.backend.allocate(290, true));
    REQUIRE(fake_cuda_bytes() == 290u);
}

TEST_CASE("a kernel that was not compiled for the GPU is named") {
    Loaded gpu(scale_text());
    gpu.backend.remove(gpu.program);
    REQUIRE(gpu.call({vm::Pointer{}, 1.5, std::int64_t{64}}) == "the kernel 'kernel' was not compiled for the GPU");
}

TEST_CASE("a kernel that never ends is reported when its results are wanted") {
    Loaded gpu(scale_text(), "hang=k_kernel");
    gpu.stream->set_limits({.seconds = 0.1});
    REQUIRE(gpu.call({gpu.upload(ramp(64, 1), "a", {64}), 1.5, std::int64_t{64}}) == "");
    std::vector<float> out(64);
    std::string text = error_text(cuda::copy_to_host(*gpu.stream, out.data(), gpu.buffers[0].address(), 256));
    REQUIRE_HOLDS(text,
                  "[kernel-timeout] kernel 'kernel' <<<(2, 1, 1), (32, 1, 1)>>> (a: f32[64], s = 1.5, n = 64) has "
                  "not ended after 0.1 s");
}

} // namespace
