// SPDX-License-Identifier: Apache-2.0
// Modules and launches: what reaches the driver, and what the user is told when a kernel or its launch is wrong.
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/cuda/support.h"

using namespace hidet;
using namespace hidet::cuda;
using namespace hidet::test;
using artifact::Scalar;

namespace {

const std::string launched_text = "fake-module sm_90\n"
                                  "kernel matmul_kernel params=8,8,4 registers=32 shared=1024\n"
                                  "kernel spin params=\n"
                                  "kernel none params=\n"
                                  "kernel wide params= registers=128 threads=512\n"
                                  "global counter 4\n";

KernelSignature matmul() {
    return {"matmul", "matmul_kernel", {{"a", Scalar::F32, true}, {"c", Scalar::F16, true}, {"n", Scalar::I32, false}}};
}
KernelSignature plain(const std::string& name) {
    return {name, name, {}};
}

// What the driver was told last.
struct Seen {
    int launches = 0;
    FakeCudaLaunch launch{};
    std::string kernel;
    std::vector<std::vector<unsigned char>> values;
    static void note(const FakeCudaLaunch* launch, void* data) {
        auto& seen = *static_cast<Seen*>(data);
        ++seen.launches;
        seen.launch = *launch;
        seen.kernel = launch->kernel;
        seen.values.clear();
        for (std::size_t i = 0; i < launch->parameter_count; ++i) {
            auto* bytes = static_cast<const unsigned char*>(launch->parameters[i]);
            seen.values.emplace_back(bytes, bytes + launch->parameter_bytes[i]);
        }
    }
    template <class T>
    T value(std::size_t i) const {
        T out{};
        if (values.at(i).size() != sizeof(T))
            FAIL("a parameter of another size");
        std::memcpy(&out, values[i].data(), sizeof(T));
        return out;
    }
};

struct LaunchRig : Rig {
    explicit LaunchRig(const char* settings = "") : Rig(settings) { fake_cuda_on_launch(Seen::note, &seen); }
    ~LaunchRig() { fake_cuda_on_launch(nullptr, nullptr); }
    Result<void> launch(Kernel& kernel, const LaunchShape& shape) {
        const std::int64_t extents[] = {1024, 1024}, row[] = {16};
        std::uint64_t args[] = {0x1000, 0x2000, static_cast<std::uint64_t>(std::int64_t{-7})};
        TensorNote tensors[] = {{"f32", extents}, {"f16", row}};
        return kernel.launch(*stream, shape, std::span(args, kernel.signature().params.size()), tensors);
    }
    Result<void> launch_plain(const std::string& name) {
        return launch(*kernel(launched_text, plain(name)), {.grid = {2, 1, 1}, .block = {32, 1, 1}});
    }
    Seen seen;
};

const LaunchShape square{.grid = {64, 64, 1}, .block = {16, 16, 1}};
const char* const square_text =
    "kernel 'matmul' <<<(64, 64, 1), (16, 16, 1)>>> (a: f32[1024, 1024], c: f16[16], n = -7)";

TEST_CASE("a module is loaded when its first kernel is wanted, and unloaded after the last") {
    Rig rig;
    {
        auto module = rig.module(launched_text);
        REQUIRE(fake_cuda_calls("cuModuleLoadDataEx") == 0);
        auto kernel = must(module->kernel(matmul()));
        must(module->kernel(plain("none")));
        REQUIRE(fake_cuda_calls("cuModuleLoadDataEx") == 1);
        module.reset();
        REQUIRE(fake_cuda_calls("cuModuleUnload") == 0);
        REQUIRE(kernel->attributes().registers == 32);
        REQUIRE(kernel->attributes().static_shared == 1024);
    }
    REQUIRE(fake_cuda_calls("cuModuleUnload") == 1);
}

TEST_CASE("the same key is the same module") {
    Rig rig;
    ModuleCache cache(rig.context);
    auto first = cache.find_or_add("k1", {launched_text, "sm_90", ""});
    REQUIRE(first == cache.find_or_add("k1", {"", "", ""}));
    REQUIRE(first != cache.find_or_add("k2", {launched_text, "sm_90", ""}));
}

TEST_CASE("shape and arguments reach the driver") {
    LaunchRig rig;
    must(rig.launch(*rig.kernel(launched_text, matmul()), square));
    REQUIRE(rig.seen.launches == 1);
    REQUIRE(rig.seen.kernel == "matmul_kernel");
    REQUIRE(rig.seen.launch.grid[1] == 64u);
    REQUIRE(rig.seen.launch.block[1] == 16u);
    REQUIRE(rig.seen.launch.cluster[0] == 1u);
    REQUIRE(rig.seen.value<std::uint64_t>(0) == 0x1000u);
    REQUIRE(rig.seen.value<std::uint64_t>(1) == 0x2000u);
    REQUIRE(rig.seen.value<int>(2) == -7);
}

TEST_CASE("each kind of scalar keeps its bits") {
    LaunchRig rig;
    auto kernel = rig.kernel("fake-module sm_90\nkernel all params=1,1,2,4,8,1,2,4,8,1,1,2,2,4,4,8",
                             {"all",
                              "all",
                              {{"b", Scalar::Bool, false},
                               {"i8", Scalar::I8, false},
                               {"i16", Scalar::I16, false},
                               {"i32", Scalar::I32, false},
                               {"i64", Scalar::I64, false},
                               {"u8", Scalar::U8, false},
                               {"u16", Scalar::U16, false},
                               {"u32", Scalar::U32, false},
                               {"u64", Scalar::U64, false},
                               {"e4", Scalar::F8E4M3, false},
                               {"e5", Scalar::F8E5M2, false},
                               {"h", Scalar::F16, false},
                               {"bf", Scalar::BF16, false},
                               {"tf", Scalar::TF32, false},
                               {"f", Scalar::F32, false},
                               {"d", Scalar::F64, false}}});
    auto wide = [](std::int64_t v) { return static_cast<std::uint64_t>(v); };
    std::uint64_t f = std::bit_cast<std::uint32_t>(1.5f), d = std::bit_cast<std::uint64_t>(-2.25);
    std::vector<std::uint64_t> args{1,         wide(-1), wide(-2), wide(-3), wide(-4), 0xFF, 0xFFFE, 0xFFFFFFFD,
                                    ~0ull - 3, 0x38,     0x3C,     0x3E00,   0x3FC0,   f,    f,      d};
    must(kernel->launch(*rig.stream, {}, args, {}));
    REQUIRE(rig.seen.value<bool>(0));
    REQUIRE(rig.seen.value<std::int8_t>(1) == -1);
    REQUIRE(rig.seen.value<std::int16_t>(2) == -2);
    REQUIRE(rig.seen.value<std::int32_t>(3) == -3);
    REQUIRE(rig.seen.value<std::int64_t>(4) == -4);
    REQUIRE(rig.seen.value<std::uint8_t>(5) == 0xFF);
    REQUIRE(rig.seen.value<std::uint16_t>(6) == 0xFFFE);
    REQUIRE(rig.seen.value<std::uint32_t>(7) == 0xFFFFFFFDu);
    REQUIRE(rig.seen.value<std::uint64_t>(8) == ~0ull - 3);
    REQUIRE(rig.seen.value<std::uint8_t>(9) == 0x38);
    REQUIRE(rig.seen.value<std::uint16_t>(11) == 0x3E00);
    REQUIRE(rig.seen.value<std::uint16_t>(12) == 0x3FC0);
    REQUIRE(rig.seen.value<float>(13) == 1.5f);
    REQUIRE(rig.seen.value<float>(14) == 1.5f);
    REQUIRE(rig.seen.value<double>(15) == -2.25);
}

TEST_CASE("clusters, cooperative and programmatic launches are asked for as such") {
    LaunchRig rig;
    auto kernel = rig.kernel(launched_text, plain("none"));
    must(kernel->launch(*rig.stream, {.grid = {8, 4, 1}, .cluster = {2, 4, 1}, .cooperative = true}, {}, {}));
    REQUIRE(rig.seen.launch.cluster[0] == 2u);
    REQUIRE(rig.seen.launch.cluster[1] == 4u);
    REQUIRE((rig.seen.launch.is_cooperative && !rig.seen.launch.is_programmatic));
    must(kernel->launch(*rig.stream, {.programmatic = true}, {}, {}));
    REQUIRE((!rig.seen.launch.is_cooperative && rig.seen.launch.is_programmatic));
}

TEST_CASE("more than 48 KiB of shared memory is allowed once and used many times") {
    LaunchRig rig;
    auto kernel = rig.kernel(launched_text, matmul());
    LaunchShape shape = square;
    shape.dynamic_shared = 47 << 10; // with the static 1024 bytes just what needs no asking
    must(rig.launch(*kernel, shape));
    REQUIRE(fake_cuda_calls("cuFuncSetAttribute") == 0);
    shape.dynamic_shared = (47 << 10) + 1;
    must(rig.launch(*kernel, shape));
    shape.dynamic_shared = 200 << 10;
    must(rig.launch(*kernel, shape));
    must(rig.launch(*kernel, shape));
    REQUIRE(fake_cuda_calls("cuFuncSetAttribute") == 2);
    REQUIRE(rig.seen.launch.dynamic_shared == 200u << 10);
}

TEST_CASE("a variable of a module has an address") {
    Rig rig;
    auto module = rig.module(launched_text);
    REQUIRE(must(module->global("counter")).bytes == 4u);
    REQUIRE(error_text(module->global("count")) == "[kernel-missing] the compiled module has no variable 'count'");
}

TEST_CASE("a kernel that was compiled with other parameters is a bug of ours, not a wild launch") {
    Rig rig;
    auto module = rig.module("fake-module sm_90\nkernel matmul_kernel params=8,8,8");
    bool caught = false;
    try {
        (void)module->kernel(matmul());
    } catch (const InternalError&) {
        caught = true;
    }
    REQUIRE(caught);
}

TEST_CASE("a kernel of a file that has other parameters than the file says is refused") {
    Rig rig;
    const auto refused = [&](const std::string& params) {
        const std::string text = "fake-module sm_90\nkernel matmul_kernel params=" + params;
        return error_text(cuda::Module::create(rig.context, {text, "sm_90", "", false})->kernel(matmul()));
    };
    REQUIRE(refused("8,8") == "[kernel-differs] 'matmul' was compiled with fewer parameters");
    REQUIRE(refused("8,8,8") == "[kernel-differs] 'matmul' was compiled with 8 bytes for 'n', not 4");
    REQUIRE(refused("8,8,4,4") == "[kernel-differs] 'matmul' was compiled with more parameters");
}

TEST_CASE("a module for another GPU says which it is for and which the device is") {
    Rig rig("sm=75");
    REQUIRE(error_text(rig.module(launched_text)->kernel(matmul())) ==
            "[wrong-arch] the module is compiled for sm_90, and Fake GPU is sm_75; compile for sm_75");
}

TEST_CASE("PTX newer than the driver says which driver and which compiler") {
    Rig rig("driver=12020;fail=cuModuleLoadDataEx:1:222");
    REQUIRE(error_text(rig.module(launched_text)->kernel(matmul())) ==
            "[driver-too-old] the driver, which supports CUDA 12.2, is older than NVRTC 13.0, which wrote the PTX "
            "for sm_90; update the driver, or compile to a cubin for sm_90");
}

TEST_CASE("a cubin newer than the driver says which driver and which compiler") {
    Rig rig("driver=12020;fail=cuModuleLoadDataEx:1:200");
    REQUIRE(error_text(rig.module(launched_text)->kernel(matmul())) ==
            "[driver-too-old] the driver, which supports CUDA 12.2, is older than NVRTC 13.0 and cannot read what "
            "it compiled for sm_90; update the driver, or compile with an older NVRTC");
}

TEST_CASE("bytes that are no module are refused") {
    Rig rig;
    REQUIRE(error_text(rig.module("nothing of a module")->kernel(matmul())) ==
            "[wrong-arch] the driver, which supports CUDA 13.0, cannot read what NVRTC 13.0 compiled for sm_90; "
            "Fake GPU is sm_90");
}

TEST_CASE("a kernel that is not in its module is named") {
    Rig rig;
    REQUIRE(error_text(rig.module(launched_text)->kernel(plain("softmax"))) ==
            "[kernel-missing] the compiled module has no kernel 'softmax'");
}

TEST_CASE("too much shared memory names the need and the device's limit") {
    LaunchRig rig("sm=75");
    auto kernel = rig.kernel("fake-module sm_75\nkernel matmul_kernel params=8,8,4 shared=1024", matmul());
    LaunchShape shape = square;
    shape.dynamic_shared = 100 << 10;
    REQUIRE_HOLDS(error_text(rig.launch(*kernel, shape)),
                  "cannot be launched: its blocks need 101 KiB of shared memory, and Fake GPU has 64 KiB for a block");
}

TEST_CASE("clusters on a GPU without them are refused with the first architecture that has them") {
    LaunchRig rig("sm=75;fail=cuLaunchKernelEx:1:1");
    auto kernel = rig.kernel("fake-module sm_75\nkernel none params=", plain("none"));
    REQUIRE(error_text(kernel->launch(*rig.stream, {.grid = {2, 1, 1}, .cluster = {2, 1, 1}}, {}, {})) ==
            "[launch-failed] kernel 'none' <<<(2, 1, 1), (1, 1, 1)>>> in clusters of (2, 1, 1) () cannot be "
            "launched: Fake GPU (sm_75) has no clusters; they begin with sm_90");
}

TEST_CASE("a block with more threads than the registers allow names both") {
    LaunchRig rig;
    REQUIRE(error_text(rig.kernel(launched_text, plain("wide"))
                           ->launch(*rig.stream, {.grid = {1, 1, 1}, .block = {1024, 1, 1}}, {}, {})) ==
            "[launch-failed] kernel 'wide' <<<(1, 1, 1), (1024, 1, 1)>>> () cannot be launched: its blocks have "
            "1024 threads, and with 128 registers per thread (or the launch bounds it was compiled with) 512 are "
            "possible");
}

TEST_CASE("a launch that the driver refuses for no reason we know names kernel, shape and arguments") {
    LaunchRig rig("fail=cuLaunchKernelEx:1:1");
    REQUIRE(error_text(rig.launch(*rig.kernel(launched_text, matmul()), square)) ==
            cat("[launch-failed] ", square_text,
                " cannot be launched: the driver refuses its shape (CUDA_ERROR_INVALID_VALUE)"));
    must(rig.launch(*rig.kernel(launched_text, matmul()), square)); // the context lives on
}

TEST_CASE("an illegal address names the kernel, its shape and its arguments") {
    LaunchRig rig("fault=matmul_kernel:700");
    must(rig.launch(*rig.kernel(launched_text, matmul()), square));
    std::string text = error_text(rig.stream->wait());
    REQUIRE_HOLDS(text, cat("[kernel-fault] ", square_text, " accessed an illegal address"));
    REQUIRE_HOLDS(text, "(CUDA_ERROR_ILLEGAL_ADDRESS); this process cannot use the device any more");
    REQUIRE_HOLDS(text, "run 'hidetc emulate' to find the line");
}

TEST_CASE("kernels that are known to have ended are not suspected") {
    LaunchRig rig("fault=spin:719");
    must(rig.launch_plain("none"));
    must(rig.stream->wait());
    must(rig.launch_plain("spin"));
    std::string text = error_text(rig.stream->wait());
    REQUIRE_HOLDS(text, "[kernel-fault] kernel 'spin' <<<(2, 1, 1), (32, 1, 1)>>> () failed while it ran");
    REQUIRE(text.find("'none'") == std::string::npos);
}

TEST_CASE("of several kernels that may have failed all are named") {
    LaunchRig rig("fault=spin:716");
    must(rig.launch_plain("none"));
    must(rig.launch_plain("spin"));
    std::string text = error_text(rig.stream->wait());
    REQUIRE_HOLDS(text,
                  "one of the kernels that were launched since the last wait (kernel 'none' <<<(2, 1, 1), "
                  "(32, 1, 1)>>> (), kernel 'spin' <<<(2, 1, 1), (32, 1, 1)>>> ()) accessed a misaligned address");
}

TEST_CASE("a hundred launches of one kernel are one suspect") {
    LaunchRig rig("fault=spin:700");
    auto kernel = rig.kernel(launched_text, plain("spin"));
    for (int i = 0; i < 100; ++i)
        must(kernel->launch(*rig.stream, {}, {}, {}));
    REQUIRE_HOLDS(error_text(rig.stream->wait()),
                  "[kernel-fault] kernel 'spin' <<<(1, 1, 1), (1, 1, 1)>>> () accessed an illegal address");
}

TEST_CASE("a copy back finds the fault of a kernel too") {
    LaunchRig rig("fault=spin:710");
    auto a = must(DeviceBuffer::allocate(rig.stream, 4, "a"));
    must(rig.launch_plain("spin"));
    int value = 0;
    REQUIRE_HOLDS(error_text(copy_to_host(*rig.stream, &value, a.address(), 4)), "() failed an assertion");
}

TEST_CASE("after a fault every call says that the device is lost, and why") {
    LaunchRig rig("fault=spin:700");
    auto kernel = rig.kernel(launched_text, plain("none"));
    must(rig.launch_plain("spin"));
    REQUIRE(!rig.stream->wait());
    std::string text = error_text(kernel->launch(*rig.stream, {}, {}, {}));
    REQUIRE_HOLDS(text, "[context-lost] the device cannot be used any more in this process, because kernel 'spin'");
    REQUIRE(rig.context->fault().has_value());
    REQUIRE_HOLDS(error_text(DeviceBuffer::allocate(rig.stream, 4, "a")), "[context-lost]");
    REQUIRE_HOLDS(error_text(rig.stream->wait()), "[context-lost]");
}

TEST_CASE("a fault that a launch finds blames the launch before") {
    LaunchRig rig("fault=spin:700");
    must(rig.launch_plain("spin"));
    fake_cuda_set("fail=cuLaunchKernelEx:1:700");
    std::string text = error_text(rig.launch_plain("none"));
    REQUIRE_HOLDS(text, "kernel 'spin'");
    REQUIRE(text.find("'none'") == std::string::npos);
}

TEST_CASE("a kernel that never ends is noticed in time, and named") {
    LaunchRig rig("hang=spin");
    must(rig.launch_plain("spin"));
    auto start = std::chrono::steady_clock::now();
    std::string text = error_text(rig.stream->wait({.seconds = 0.2}));
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    REQUIRE((seconds >= 0.2 && seconds < 5));
    REQUIRE_HOLDS(text, "[kernel-timeout] kernel 'spin' <<<(2, 1, 1), (32, 1, 1)>>> () has not ended after 0.2 s");
    REQUIRE_HOLDS(text, "the process has to end");
    REQUIRE_HOLDS(error_text(rig.stream->wait()), "[context-lost]"); // and does not wait again
}

TEST_CASE("waiting can be cancelled") {
    LaunchRig rig("hang=spin");
    must(rig.launch_plain("spin"));
    std::atomic<bool> cancelled = true;
    REQUIRE(error_text(rig.stream->wait({.cancelled = &cancelled})) ==
            "[cancelled] was cancelled while the device worked");
}

TEST_CASE("work that nobody waited for does not keep the process") {
    {
        LaunchRig rig("hang=spin");
        must(rig.launch_plain("spin"));
    }
    REQUIRE(fake_cuda_calls("cuDevicePrimaryCtxRelease_v2") == 0); // which would wait for the kernel
}

TEST_CASE("a process can leave while a kernel runs, with its exit code and its output") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        LaunchRig rig("hang=spin");
        (void)rig.launch_plain("spin");
        (void)rig.stream->wait({.seconds = 0.05});
        std::printf("last words");
        leave_process(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    char text[64] = {};
    REQUIRE(read(ends[0], text, sizeof text - 1) > 0);
    REQUIRE(std::string(text) == "last words");
    REQUIRE((WIFEXITED(status) && WEXITSTATUS(status) == 1));
}

TEST_CASE("what kernels print goes where the caller wants it") {
    LaunchRig rig("print=spin:hello from block 0");
    std::string heard;
    rig.stream->set_printer([&](std::string_view piece) { heard += piece; });
    auto kernel = rig.kernel(launched_text + "vprintf", plain("spin"));
    must(kernel->launch(*rig.stream, {}, {}, {}));
    REQUIRE(heard == "");
    must(rig.stream->wait());
    REQUIRE(heard == "hello from block 0\n");
    must(rig.stream->wait());
    REQUIRE(heard == "hello from block 0\n");
}

} // namespace
