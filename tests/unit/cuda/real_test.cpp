// SPDX-License-Identifier: Apache-2.0
// The same promises on a real GPU, where there is one: kernels compiled by NVRTC for it. Each case is a process of its own,
// because a kernel that fails takes the device from its process.
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <doctest/doctest.h>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "lang/base/text.h"
#include "runtime/cuda/cublas.h"
#include "runtime/cuda/graph.h"
#include "runtime/cuda/module.h"
#include "runtime/cuda/timing.h"
#include "runtime/toolchain/toolchain.h"
#include "tests/harness/skip.h"

using namespace hidet;
using namespace hidet::cuda;
using artifact::Parameter;
using artifact::Scalar;

namespace {

constexpr int skipped = 77;

const char* const source = R"(
extern "C" __global__ void scale(float* a, float s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= s;
}
extern "C" __global__ void keep(unsigned long long* out, bool b, signed char i8, short i16, int i32, long long i64,
                                unsigned char u8, unsigned short h, float f, double d) {
    out[0] = b; out[1] = i8; out[2] = i16; out[3] = i32; out[4] = i64; out[5] = u8; out[6] = h;
    out[7] = __float_as_uint(f); out[8] = __double_as_longlong(d);
}
extern "C" __global__ void much(int* out) {
    extern __shared__ int room[];
    room[blockDim.x * 100 + threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = room[blockDim.x * 100 + blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void clusters(int* out) {
    int rank = 0, blocks = 1;
#if __CUDA_ARCH__ >= 900
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
#endif
    out[2 * blockIdx.x] = rank; out[2 * blockIdx.x + 1] = blocks;
}
extern "C" __global__ void say(int n) { printf("block %d of %d\n", blockIdx.x, n); }
extern "C" __global__ void wild(float* a) { a[1ll << 40] = 1; }
extern "C" __global__ void askew(char* a) { *(int*)(a + 1) = 1; }
extern "C" __global__ void stop() { asm volatile("trap;"); }
extern "C" __global__ void spin(volatile int* a) { while (a[0] == 0) {} }
extern "C" __global__ void empty() {}
)";

template <class T>
T must(Result<T> result) {
    if (!result)
        FAIL("unexpected error: [", result.error().code, "] ", result.error().message);
    return std::move(result).value();
}
void must(const Result<void>& result) {
    if (!result)
        FAIL("unexpected error: [", result.error().code, "] ", result.error().message);
}
void expect_error(const Result<void>& result, const std::string& code, const std::string& part) {
    if (result || result.error().code != code || result.error().message.find(part) == std::string::npos)
        FAIL("wanted [", code, "] ", part, "\n    is ",
             (result ? "no error" : "[" + result.error().code + "] " + result.error().message));
}

struct Gpu {
    std::shared_ptr<Context> context = must(Context::open(must(Driver::load())));
    std::shared_ptr<Stream> stream = must(Stream::create(context));
    toolchain::Toolchain tools{{.cache = toolchain::CacheOptions{}}};
    std::shared_ptr<Module> module = compile(context->device().architecture());
    std::vector<DeviceBuffer> buffers;

    Gpu() { stream->set_limits({.seconds = 10}); }
    std::shared_ptr<Module> compile(const std::string& arch) {
        auto compiled =
            must(tools.compiler().compile({.text = source, .product = toolchain::Product::Cubin, .arch = arch}));
        return Module::create(context, {compiled.bytes, arch, compiled.compiler});
    }
    std::shared_ptr<Kernel> kernel(const std::string& name, std::vector<Parameter> params) {
        return must(module->kernel({name, name, std::move(params)}));
    }
    template <class T>
    DeviceAddress upload(const std::vector<T>& data) {
        std::size_t bytes = data.size() * sizeof(T);
        DeviceBuffer& buffer = buffers.emplace_back(must(DeviceBuffer::allocate(stream, bytes, "a test")));
        must(copy_to_device(*stream, buffer.address(), data.data(), bytes));
        return buffer.address();
    }
    template <class T>
    std::vector<T> download(DeviceAddress from, std::size_t count) {
        std::vector<T> data(count);
        must(copy_to_host(*stream, data.data(), from, count * sizeof(T)));
        return data;
    }
};

Parameter pointer(const char* name) {
    return {name, Scalar::F32, true};
}
Parameter number(const char* name, Scalar type) {
    return {name, type, false};
}

struct Case {
    const char* name;
    std::function<int()> body; // the exit code
};

int run_scale() {
    Gpu gpu;
    std::vector<float> data(1000, 3);
    DeviceAddress a = gpu.upload(data);
    auto kernel = gpu.kernel("scale", {pointer("a"), number("s", Scalar::F32), number("n", Scalar::I32)});
    std::uint64_t args[] = {a, std::bit_cast<std::uint32_t>(0.5f), 900};
    must(kernel->launch(*gpu.stream, {.grid = {8, 1, 1}, .block = {128, 1, 1}}, args, {}));
    auto out = gpu.download<float>(a, 1000);
    REQUIRE((out[0] == 1.5f && out[899] == 1.5f && out[900] == 3));
    REQUIRE((kernel->attributes().registers > 0 && kernel->attributes().max_threads == 1024));
    return 0;
}

int run_scalars() {
    Gpu gpu;
    DeviceAddress out = gpu.upload(std::vector<std::uint64_t>(9));
    auto kernel = gpu.kernel("keep", {pointer("out"), number("b", Scalar::Bool), number("i8", Scalar::I8),
                                      number("i16", Scalar::I16), number("i32", Scalar::I32),
                                      number("i64", Scalar::I64), number("u8", Scalar::U8), number("h", Scalar::F16),
                                      number("f", Scalar::F32), number("d", Scalar::F64)});
    auto wide = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    std::uint64_t f = std::bit_cast<std::uint32_t>(1.25f), d = std::bit_cast<std::uint64_t>(-7.5);
    std::vector<std::uint64_t> args{out, 1, wide(-2), wide(-3), wide(-4), wide(-5), 250, 0x3C00, f, d};
    must(kernel->launch(*gpu.stream, {}, args, {}));
    auto got = gpu.download<std::uint64_t>(out, 9);
    for (std::size_t i = 0; i < 9; ++i)
        REQUIRE(got[i] == args[i + 1]);
    return 0;
}

int run_shared() {
    Gpu gpu;
    DeviceAddress out = gpu.upload(std::vector<int>(128));
    auto kernel = gpu.kernel("much", {pointer("out")});
    std::uint64_t args[] = {out};
    LaunchShape shape{.block = {128, 1, 1}, .dynamic_shared = 101 * 128 * 4};
    must(kernel->launch(*gpu.stream, shape, args, {}));
    REQUIRE(gpu.download<int>(out, 128)[0] == 127);
    shape.dynamic_shared = 300 << 10;
    expect_error(kernel->launch(*gpu.stream, shape, args, {}), "launch-failed", "300 KiB of shared memory");
    must(gpu.stream->wait());
    return 0;
}

int run_clusters() {
    Gpu gpu;
    DeviceAddress out = gpu.upload(std::vector<int>(16));
    auto kernel = gpu.kernel("clusters", {pointer("out")});
    std::uint64_t args[] = {out};
    LaunchShape shape{.grid = {8, 1, 1}, .block = {32, 1, 1}, .cluster = {4, 1, 1}};
    if (!gpu.context->device().spec.has(artifact::Feature::Clusters)) {
        expect_error(kernel->launch(*gpu.stream, shape, args, {}), "launch-failed", "has no clusters");
        return 0;
    }
    must(kernel->launch(*gpu.stream, shape, args, {}));
    auto got = gpu.download<int>(out, 16);
    REQUIRE((got[2] == 1 && got[3] == 4 && got[14] == 3));
    must(kernel->launch(*gpu.stream, {.grid = {8, 1, 1}, .cooperative = true}, args, {}));
    must(kernel->launch(*gpu.stream, {.grid = {8, 1, 1}, .programmatic = true}, args, {}));
    must(gpu.stream->wait());
    expect_error(kernel->launch(*gpu.stream, {.grid = {1, 1, 1}, .block = {2048, 1, 1}}, args, {}), "launch-failed",
                 "its blocks have 2048 threads");
    return 0;
}

int run_printing() {
    Gpu gpu;
    std::string heard;
    gpu.stream->set_printer([&](std::string_view text) { heard += text; });
    auto kernel = gpu.kernel("say", {number("n", Scalar::I32)});
    std::uint64_t args[] = {2};
    must(kernel->launch(*gpu.stream, {.grid = {2, 1, 1}}, args, {}));
    must(gpu.stream->wait());
    REQUIRE((heard == "block 0 of 2\nblock 1 of 2\n" || heard == "block 1 of 2\nblock 0 of 2\n"));
    return 0;
}

int run_graph() {
    Gpu gpu;
    DeviceAddress a = gpu.upload(std::vector<float>(128, 1));
    auto kernel = gpu.kernel("scale", {pointer("a"), number("s", Scalar::F32), number("n", Scalar::I32)});
    auto times = [&](float factor) {
        return [&, factor] {
            std::uint64_t args[] = {a, std::bit_cast<std::uint32_t>(factor), 128};
            return kernel->launch(*gpu.stream, {.block = {128, 1, 1}}, args, {});
        };
    };
    auto graph = must(Graph::capture(*gpu.stream, times(2)));
    REQUIRE(graph.nodes() == 1u);
    for (int i = 0; i < 3; ++i)
        must(graph.launch(*gpu.stream));
    REQUIRE(gpu.download<float>(a, 1)[0] == 8.0f);
    expect_error(Graph::capture(*gpu.stream, [&] { return gpu.stream->wait(); }).error(), "device-error", "");
    must(gpu.stream->wait());
    return 0;
}

int run_fault(const char* name, std::vector<Parameter> params, const std::string& part) {
    Gpu gpu;
    std::uint64_t args[] = {gpu.upload(std::vector<float>(16))};
    auto kernel = gpu.kernel(name, params);
    const std::int64_t shape[] = {16};
    TensorNote note[] = {{"f32", shape}};
    must(kernel->launch(*gpu.stream, {}, std::span(args, params.size()), note));
    std::string text = params.empty() ? "" : "a: f32[16]";
    expect_error(gpu.stream->wait(), "kernel-fault",
                 cat("kernel '", name, "' <<<(1, 1, 1), (1, 1, 1)>>> (", text, ") ", part));
    expect_error(kernel->launch(*gpu.stream, {}, std::span(args, params.size()), note), "context-lost", name);
    return 0;
}

int run_timeout() {
    Gpu gpu;
    std::uint64_t args[] = {gpu.upload(std::vector<int>(4))};
    must(gpu.kernel("spin", {pointer("a")})->launch(*gpu.stream, {}, args, {}));
    expect_error(gpu.stream->wait({.seconds = 0.5}), "kernel-timeout", "has not ended after 0.5 s");
    leave_process(0);
}

int run_memory() {
    Gpu gpu;
    auto huge = DeviceBuffer::allocate(gpu.stream, std::size_t{1} << 42, "'a'");
    expect_error(huge ? Result<void>{} : Result<void>(huge.error()), "out-of-device-memory", "'a' needs 4 TiB, and ");
    return run_scale();
}

int run_architecture() {
    Gpu gpu;
    auto other =
        gpu.compile(gpu.context->device().spec.arch.number >= 100 ? "sm_90" : "sm_100")->kernel({"empty", "empty", {}});
    expect_error(other ? Result<void>{} : Result<void>(other.error()), "wrong-arch", gpu.context->device().name());
    return 0;
}

int run_timing() {
    Gpu gpu;
    constexpr std::size_t count = std::size_t{64} << 20;
    DeviceBuffer a = must(DeviceBuffer::allocate(gpu.stream, 4 * count, "a"));
    auto scale = gpu.kernel("scale", {pointer("a"), number("s", Scalar::F32), number("n", Scalar::I32)});
    auto empty = gpu.kernel("empty", {});
    std::uint64_t args[] = {a.address(), std::bit_cast<std::uint32_t>(1.0f), count};
    Timer::Work works[] = {
        [&] {
            return scale->launch(*gpu.stream, {.grid = {count / 256, 1, 1}, .block = {256, 1, 1}}, args, {});
        },
        [&] { return empty->launch(*gpu.stream, {}, {}, {}); }};
    auto timer = must(Timer::create(gpu.stream));
    auto timings = must(timer->compare(works));
    double gigabytes = 8.0 * count / timings[0].cold.median_us / 1000;
    std::printf("  scale: %.1f us cold, spread %.1f %%, %.0f GB/s; empty: %.2f us hot in a graph, %.2f us cold\n",
                timings[0].cold.median_us, 100 * timings[0].cold.spread(), gigabytes, timings[1].hot.median_us,
                timings[1].cold.median_us);
    DeviceState state = timings[0].after;
    std::printf("  SM clock %d MHz, %.0f W, %d C\n", state.sm_clock_mhz.value_or(-1), state.power_watts.value_or(-1),
                state.temperature_celsius.value_or(-1));
    REQUIRE((gigabytes > 20 && timings[1].hot.in_graph && timings[1].hot.median_us < 50));
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i)
        must(works[1]());
    double us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / 1000;
    must(gpu.stream->wait());
    std::printf("  host time of a launch: %.2f us\n", us);
    return 0;
}

int run_cublas() {
    Gpu gpu;
    auto loaded = Cublas::load(gpu.stream);
    if (!loaded)
        return loaded.error().code == "cublas-missing" ? skipped : 1;
    Cublas& cublas = *loaded.value();
    std::printf("  %s\n", cublas.version().c_str());
    constexpr int n = 256;
    std::vector<float> a(n * n), b(n * n);
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<float>(i % 7), b[i] = static_cast<float>(i % 5);
    Gemm gemm{GemmType::F32, n, n, n, gpu.upload(a), gpu.upload(b), gpu.upload(std::vector<float>(n * n))};
    must(cublas.multiply(gemm));
    float expected = 0;
    for (std::size_t l = 0; l < n; ++l)
        expected += a[3 * n + l] * b[l * n + 5];
    REQUIRE(gpu.download<float>(gemm.c, n * n)[3 * n + 5] == expected);
    for (auto [type, one, sum] : {std::tuple{GemmType::F16, 0x3C00, 0x5C00}, {GemmType::BF16, 0x3F80, 0x4380}}) {
        std::vector<std::uint16_t> ones(n * n, static_cast<std::uint16_t>(one));
        Gemm half{type, n, n, n, gpu.upload(ones), gpu.upload(ones), gpu.upload(ones)};
        must(cublas.multiply(half));
        REQUIRE(gpu.download<std::uint16_t>(half.c, 1)[0] == static_cast<std::uint16_t>(sum)); // 256
    }
    return 0;
}

const Case cases[] = {
    {"a kernel computes, and has its attributes", run_scale},
    {"each kind of scalar keeps its bits", run_scalars},
    {"more than 48 KiB of shared memory is there, more than the device has is refused", run_shared},
    {"clusters, cooperative and programmatic launches run", run_clusters},
    {"what kernels print goes where the caller wants it", run_printing},
    {"a graph replays, and takes other arguments", run_graph},
    {"an illegal address names the kernel",
     [] { return run_fault("wild", {pointer("a")}, "accessed an illegal address"); }},
    {"a misaligned address names the kernel",
     [] { return run_fault("askew", {pointer("a")}, "accessed a misaligned address"); }},
    {"a trap names the kernel", [] { return run_fault("stop", {}, ""); }},
    {"a kernel that never ends is noticed, and the process leaves", run_timeout},
    {"out of device memory says so, and the device goes on", run_memory},
    {"a module for another GPU is refused by name", run_architecture},
    {"times are plausible", run_timing},
    {"cuBLAS multiplies", run_cublas},
};

int probe() {
    auto driver = Driver::load();
    if (!driver)
        std::printf("%s\n", driver.error().message.c_str());
    auto warm = toolchain::Toolchain({.cache = toolchain::CacheOptions{}}).warm_up();
    if (driver && !warm)
        std::printf("%s\n", warm.error().message.c_str());
    return driver && warm ? 0 : skipped;
}

// In a child: nothing of one case is left for the next.
int run_in_worker(const Case& one) {
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int code = 1;
        try {
            code = one.body();
        } catch (const std::exception& error) {
            std::printf("  threw %s\n", error.what());
        } catch (...) { // a failed check, which was told
        }
        leave_process(code);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

} // namespace

TEST_CASE("the driver and NVRTC of this machine") {
    const int probed = run_in_worker({"a GPU and NVRTC", probe});
    if (probed == skipped)
        return test::skip("no GPU, or no NVRTC");
    REQUIRE(probed == 0);
    for (const Case& one : cases) {
        const int code = run_in_worker(one);
        std::printf("%s: %s\n", code == 0 ? "passed" : code == skipped ? "skipped" : "FAILED", one.name);
        CAPTURE(one.name);
        CHECK((code == 0 || code == skipped));
    }
}
