// SPDX-License-Identifier: Apache-2.0
// Graphs, and measuring by events: the fake device's clock stands still but for launches, so times are exact.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <string>

#include "runtime/cuda/cublas.h"
#include "runtime/cuda/graph.h"
#include "runtime/cuda/timing.h"
#include "tests/unit/cuda/support.h"

using namespace hidet;
using namespace hidet::cuda;
using namespace hidet::test;

namespace {

const std::string kernels = "fake-module sm_90\nkernel fast params=4\nkernel slow params=4\nkernel broken params=4\n";

KernelSignature signature(const std::string& name) {
    return {name, name, {{"n", artifact::Scalar::I32, false}}};
}

struct TimingRig : Rig {
    explicit TimingRig(const char* settings = "") : Rig(settings) { fake_cuda_on_launch(note, this); }
    ~TimingRig() { fake_cuda_on_launch(nullptr, nullptr); }
    static void note(const FakeCudaLaunch* launch, void* self) {
        auto& rig = *static_cast<TimingRig*>(self);
        rig.order += launch->kernel[0];
        std::memcpy(&rig.last, launch->parameters[0], sizeof rig.last);
        rig.arguments.push_back(rig.last);
    }
    Timer::Work work(const std::string& name, int n = 1) {
        auto kernel = launched.emplace_back(this->kernel(kernels, signature(name)));
        return [this, kernel, n] {
            std::uint64_t args[] = {static_cast<std::uint64_t>(n)};
            return kernel->launch(*stream, {}, args, {});
        };
    }
    std::vector<std::shared_ptr<Kernel>> launched; // a graph needs them as long as it lives
    std::string order;                             // first letters of what ran
    int last = 0;
    std::vector<int> arguments; // of all of it
};

bool close(double a, double b) {
    return std::abs(a - b) <= 1e-3 * std::abs(b);
}

TEST_CASE("a graph runs what was recorded, and nothing before it is launched") {
    TimingRig rig;
    auto fast = rig.work("fast"), slow = rig.work("slow");
    auto graph = must(Graph::capture(*rig.stream, [&] {
        must(fast());
        must(slow());
        return fast();
    }));
    REQUIRE(rig.order == "");
    REQUIRE(graph.nodes() == 3u);
    must(graph.launch(*rig.stream));
    must(graph.launch(*rig.stream));
    must(rig.stream->wait());
    REQUIRE(rig.order == "fsffsf");
    REQUIRE(fake_cuda_calls("cuGraphLaunch") == 2);
}

TEST_CASE("a failure while recording ends the recording") {
    TimingRig rig;
    REQUIRE(error_text(Graph::capture(*rig.stream, [] { return Result<void>(Error{"x", "no"}); })) == "[x] no");
    REQUIRE_HOLDS(error_text(Graph::capture(*rig.stream, [&] { return rig.stream->wait(); })),
                  "cannot be recorded into a graph");
    must(rig.work("fast")());
    must(rig.stream->wait());
    REQUIRE(rig.order == "f");
}

TEST_CASE("a fault in a graph names what is in it") {
    TimingRig rig("fault=broken:700");
    auto graph = must(Graph::capture(*rig.stream, rig.work("broken", 3)));
    must(graph.launch(*rig.stream));
    REQUIRE_HOLDS(error_text(rig.stream->wait()), "[kernel-fault] a kernel of a graph of kernel 'broken' <<<(1, 1, 1), "
                                                  "(1, 1, 1)>>> (n = 3) accessed an illegal address");
}

TEST_CASE("a distribution has its median, shares and spread") {
    Distribution d = distribution_of({5, 1, 2, 4, 3, 6, 7, 8, 9, 10, 11});
    REQUIRE(d.median_us == 6.0);
    REQUIRE(d.p10_us == 2.0);
    REQUIRE(d.p90_us == 10.0);
    REQUIRE(d.fastest_us == 1.0);
    REQUIRE(d.samples == 11);
    REQUIRE(close(d.spread(), 8.0 / 6));
    REQUIRE(distribution_of({}).samples == 0);
}

TEST_CASE("short work is timed many times in a graph, long work once") {
    TimingRig rig("time=fast:4;time=slow:400");
    auto timer = must(Timer::create(rig.stream, {.warm_up_ms = 1, .budget_ms = 20}));
    Timing fast = must(timer->measure(rig.work("fast"))), slow = must(timer->measure(rig.work("slow")));
    REQUIRE((close(fast.hot.median_us, 4) && close(fast.cold.median_us, 4)));
    REQUIRE((fast.hot.in_graph && fast.hot.launches == 100));
    REQUIRE((close(slow.hot.median_us, 400) && close(slow.cold.median_us, 400)));
    REQUIRE((!slow.hot.in_graph && slow.hot.launches == 1));
    REQUIRE((slow.cold.samples >= 49 && slow.cold.samples <= 50)); // the budget
    REQUIRE(slow.cold.spread() == 0.0);
}

TEST_CASE("the cache is flushed with memory twice its size, taken once") {
    TimingRig rig;
    auto timer = must(Timer::create(rig.stream, {.warm_up_ms = 1, .budget_ms = 1}));
    REQUIRE(fake_cuda_bytes() == std::size_t{120} << 20);
    Timing timing = must(timer->measure(rig.work("slow")));
    must(timer->measure(rig.work("slow")));
    REQUIRE(fake_cuda_calls("cuMemAllocAsync") == 1);
    REQUIRE(fake_cuda_calls("cuMemsetD8Async") == 2 * timing.cold.samples);
}

TEST_CASE("variants are measured in turn, and none always after the same other one") {
    TimingRig rig("time=fast:50;time=slow:100");
    auto timer = must(Timer::create(rig.stream, {.warm_up_ms = 0.1, .budget_ms = 1}));
    Timer::Work works[] = {rig.work("fast"), rig.work("slow")};
    auto timings = must(timer->compare(works));
    REQUIRE((close(timings[0].cold.median_us, 50) && close(timings[1].cold.median_us, 100)));
    REQUIRE_HOLDS(rig.order, "fssffssffssffssffssf");
}

// Launches of the work with the arguments 0, 1, 2, 0, ...
Timer::Work row_of(TimingRig& rig, const std::string& name, int launches) {
    std::vector<Timer::Work> copies = {rig.work(name, 0), rig.work(name, 1), rig.work(name, 2)};
    return [copies, launches]() -> Result<void> {
        for (int i = 0; i < launches; ++i)
            must(copies[static_cast<std::size_t>(i % 3)]());
        return {};
    };
}

TEST_CASE("rows of launches are recorded once, each into one graph, and replayed in turn") {
    TimingRig rig("time=fast:4;time=slow:10");
    auto timer = must(Timer::create(rig.stream, {.warm_up_ms = 0.1, .budget_ms = 1}));
    Timer::Work rows[] = {row_of(rig, "fast", 7), row_of(rig, "slow", 7)};
    auto timings = must(timer->compare_rows(rows, 7));
    REQUIRE((close(timings[0].each.median_us, 4) && close(timings[1].each.median_us, 10)));
    REQUIRE((timings[0].each.in_graph && timings[0].each.launches == 7 && timings[0].each.samples == 14));
    REQUIRE(fake_cuda_calls("cuGraphInstantiateWithFlags") == 2);
    REQUIRE(fake_cuda_calls("cuLaunchKernelEx") == 2 * 2 * 7); // to load the modules, and to be recorded
    REQUIRE(rig.order.ends_with("fffffffssssssssssssssfffffff"));
    REQUIRE(std::vector<int>(rig.arguments.end() - 7, rig.arguments.end()) == std::vector{0, 1, 2, 0, 1, 2, 0});
    REQUIRE(fake_cuda_calls("cuMemsetD8Async") == 0);
}

TEST_CASE("a row that cannot be recorded is timed without a graph, beside one that can") {
    TimingRig rig("time=fast:4");
    auto timer = must(Timer::create(rig.stream, {.warm_up_ms = 0.1, .budget_ms = 1}));
    auto fast = rig.work("fast");
    Timer::Work rows[] = {[&] {
                              must(fast());
                              return rig.stream->wait();
                          },
                          fast};
    auto timings = must(timer->compare_rows(rows, 1));
    REQUIRE((!timings[0].each.in_graph && close(timings[0].each.median_us, 4)));
    REQUIRE_HOLDS(timings[0].note, "not timed in a graph");
    REQUIRE((timings[1].each.in_graph && timings[1].note.empty()));
}

TEST_CASE("work that cannot be recorded is timed without a graph, and says why") {
    TimingRig rig("time=fast:4");
    auto timer = must(Timer::create(rig.stream, {.warm_up_ms = 0.1, .budget_ms = 1}));
    auto fast = rig.work("fast");
    Timing timing = must(timer->measure([&] {
        must(fast());
        return rig.stream->wait();
    }));
    REQUIRE((!timing.hot.in_graph && close(timing.hot.median_us, 4)));
    REQUIRE_HOLDS(timing.note, "not timed in a graph");
}

TEST_CASE("a kernel that fails ends the measurement with its own error") {
    TimingRig rig("fault=broken:716");
    auto timer = must(Timer::create(rig.stream));
    REQUIRE_HOLDS(error_text(timer->measure(rig.work("broken"))), "[kernel-fault] kernel 'broken'");
}

TEST_CASE("no memory for the flush is said as such") {
    TimingRig rig("memory=1000");
    REQUIRE_HOLDS(error_text(Timer::create(rig.stream)), "flushing the cache between measurements needs 120 MiB");
}

TEST_CASE("clocks, power and what slows the device stand beside the times") {
    TimingRig rig;
    setenv("HIDET_LIBNVML", HIDET_FAKE_NVML_LIBRARY, 1);
    auto timer = must(Timer::create(rig.stream, {.warm_up_ms = 1, .budget_ms = 1}));
    DeviceState state = must(timer->measure(rig.work("fast"))).after;
    REQUIRE(state.sm_clock_mhz.value_or(0) == 1755);
    REQUIRE(state.memory_clock_mhz.value_or(0) == 3201);
    REQUIRE(state.temperature_celsius.value_or(0) == 61);
    REQUIRE(state.power_watts.value_or(0) == 512.5);
    REQUIRE(join(state.slowed_by.value_or(std::vector<std::string>{"unknown"}), ", ") == "power limit");
    setenv("HIDET_LIBNVML", "/nowhere/libnvidia-ml.so.1", 1);
    Monitor none(rig.context->device());
    REQUIRE((!none.works() && !none.read().sm_clock_mhz && !none.read().slowed_by));
    unsetenv("HIDET_LIBNVML");
}

TEST_CASE("a clock that moves and what slows the device between two readings are kept") {
    TimingRig rig;
    setenv("HIDET_LIBNVML", HIDET_FAKE_NVML_LIBRARY, 1);
    setenv("HIDET_FAKE_NVML", "1980,1410,1980;24", 1);
    auto timer = must(Timer::create(rig.stream, {.warm_up_ms = 1, .budget_ms = 1}));
    const bench::Clocks clocks = must(timer->measure(rig.work("fast"))).clocks;
    unsetenv("HIDET_FAKE_NVML");
    unsetenv("HIDET_LIBNVML");
    REQUIRE(bench::change_text(clocks) == "its clock was between 1410 and 1980 MHz");
    REQUIRE(bench::slowdown_text(clocks) == "it was slowed down by: temperature");
    REQUIRE(bench::slowdown_text({1980, 1980, {"power limit"}}).empty());
    REQUIRE(bench::change_text({1800, 1980, {}}).empty());
}

TEST_CASE("a product of cuBLAS is row-major as ours are") {
    TimingRig rig;
    setenv("HIDET_LIBCUBLAS", HIDET_FAKE_CUBLAS_LIBRARY, 1);
    auto cublas = must(Cublas::load(rig.stream));
    unsetenv("HIDET_LIBCUBLAS");
    REQUIRE(cublas->version() == "cuBLAS 13.0.2");
    std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 0, 2, 1, 0, 1, 0, 1, 1, 1, 1, 0}, c(8), expected(8);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
            for (int l = 0; l < 3; ++l)
                expected[static_cast<std::size_t>(4 * i + j)] +=
                    a[static_cast<std::size_t>(3 * i + l)] * b[static_cast<std::size_t>(4 * l + j)];
    auto device_a = must(DeviceBuffer::allocate(rig.stream, 24, "a")),
         device_b = must(DeviceBuffer::allocate(rig.stream, 48, "b")),
         device_c = must(DeviceBuffer::allocate(rig.stream, 32, "c"));
    must(copy_to_device(*rig.stream, device_a.address(), a.data(), 24));
    must(copy_to_device(*rig.stream, device_b.address(), b.data(), 48));
    Gemm gemm{GemmType::F32, 2, 4, 3, device_a.address(), device_b.address(), device_c.address()};
    must(cublas->multiply(gemm));
    must(copy_to_host(*rig.stream, c.data(), device_c.address(), 32));
    REQUIRE(c == expected);
    must(fill(*rig.stream, device_c.address(), 0, 32));
    auto graph = must(Graph::capture(*rig.stream, [&] { return cublas->multiply(gemm); }));
    must(copy_to_host(*rig.stream, c.data(), device_c.address(), 32));
    REQUIRE(c == std::vector<float>(8));
    must(graph.launch(*rig.stream));
    must(copy_to_host(*rig.stream, c.data(), device_c.address(), 32));
    REQUIRE(c == expected);
    gemm.type = GemmType::BF16;
    REQUIRE(error_text(cublas->multiply(gemm)) ==
            "[device-error] a matrix product of cuBLAS failed: CUBLAS_STATUS_NOT_SUPPORTED");
}

TEST_CASE("a missing cuBLAS says how to get it") {
    TimingRig rig;
    setenv("HIDET_LIBCUBLAS", "/nowhere/libcublas.so.13", 1);
    std::string text = error_text(Cublas::load(rig.stream));
    unsetenv("HIDET_LIBCUBLAS");
    REQUIRE_HOLDS(text, "[cublas-missing] cuBLAS is not found");
    REQUIRE_HOLDS(text, "nvidia-cublas");
}

} // namespace
