// SPDX-License-Identifier: Apache-2.0
// Graphs, and measuring by events: the fake device's clock stands still but for launches, so times are exact.
#include <cmath>
#include <cstdlib>
#include <cstring>

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

struct Running : Rig {
    explicit Running(const char* settings = "") : Rig(settings) { fake_cuda_on_launch(note, this); }
    ~Running() { fake_cuda_on_launch(nullptr, nullptr); }
    static void note(const FakeCudaLaunch* launch, void* self) {
        auto& rig = *static_cast<Running*>(self);
        rig.order += launch->kernel[0];
        std::memcpy(&rig.last, launch->parameters[0], sizeof rig.last);
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
};

bool close(double a, double b) {
    return std::abs(a - b) <= 1e-3 * std::abs(b);
}

void graphs(Suite& suite) {
    suite.run("a graph runs what was recorded, and nothing before it is launched", [] {
        Running rig;
        auto fast = rig.work("fast"), slow = rig.work("slow");
        auto graph = must(Graph::capture(*rig.stream, [&] {
            must(fast());
            must(slow());
            return fast();
        }));
        EXPECT_EQUAL(rig.order, "");
        EXPECT_EQUAL(graph.nodes(), 3u);
        must(graph.launch(*rig.stream));
        must(graph.launch(*rig.stream));
        must(rig.stream->wait());
        EXPECT_EQUAL(rig.order, "fsffsf");
        EXPECT_EQUAL(fake_cuda_calls("cuGraphLaunch"), 2);
    });
    suite.run("other arguments change a graph in place, other launches make it anew", [] {
        Running rig;
        auto graph = must(Graph::capture(*rig.stream, rig.work("fast", 1)));
        EXPECT(must(graph.update(*rig.stream, rig.work("fast", 42))));
        must(graph.launch(*rig.stream));
        EXPECT_EQUAL(rig.last, 42);
        EXPECT(!must(graph.update(*rig.stream, rig.work("slow", 7))));
        must(graph.launch(*rig.stream));
        EXPECT_EQUAL(rig.last, 7);
        EXPECT_EQUAL(rig.order, "fs");
    });
    suite.run("a failure while recording ends the recording", [] {
        Running rig;
        EXPECT_EQUAL(error_text(Graph::capture(*rig.stream, [] { return Result<void>(Error{"x", "no"}); })), "[x] no");
        EXPECT_HOLDS(error_text(Graph::capture(*rig.stream, [&] { return rig.stream->wait(); })),
                     "cannot be recorded into a graph");
        must(rig.work("fast")());
        must(rig.stream->wait());
        EXPECT_EQUAL(rig.order, "f");
    });
    suite.run("a fault in a graph names what is in it", [] {
        Running rig("fault=broken:700");
        auto graph = must(Graph::capture(*rig.stream, rig.work("broken", 3)));
        must(graph.launch(*rig.stream));
        EXPECT_HOLDS(error_text(rig.stream->wait()),
                     "[kernel-fault] a kernel of a graph of kernel 'broken' <<<(1, 1, 1), "
                     "(1, 1, 1)>>> (n = 3) accessed an illegal address");
    });
}

void timings(Suite& suite) {
    suite.run("a distribution has its median, shares and spread", [] {
        Distribution d = distribution_of({5, 1, 2, 4, 3, 6, 7, 8, 9, 10, 11});
        EXPECT_EQUAL(d.median_us, 6.0);
        EXPECT_EQUAL(d.p10_us, 2.0);
        EXPECT_EQUAL(d.p90_us, 10.0);
        EXPECT_EQUAL(d.fastest_us, 1.0);
        EXPECT_EQUAL(d.samples, 11);
        EXPECT(close(d.spread(), 8.0 / 6));
        EXPECT_EQUAL(distribution_of({}).samples, 0);
    });
    suite.run("short work is timed many times in a graph, long work once", [] {
        Running rig("time=fast:4;time=slow:400");
        auto timer = must(Timer::create(rig.stream, {.warm_up_ms = 1, .budget_ms = 20}));
        Timing fast = must(timer->measure(rig.work("fast"))), slow = must(timer->measure(rig.work("slow")));
        EXPECT(close(fast.hot.median_us, 4) && close(fast.cold.median_us, 4));
        EXPECT(fast.hot.in_graph && fast.hot.launches == 100);
        EXPECT(close(slow.hot.median_us, 400) && close(slow.cold.median_us, 400));
        EXPECT(!slow.hot.in_graph && slow.hot.launches == 1);
        EXPECT(slow.cold.samples >= 49 && slow.cold.samples <= 50); // the budget
        EXPECT_EQUAL(slow.cold.spread(), 0.0);
    });
    suite.run("the cache is flushed with memory twice its size, taken once", [] {
        Running rig;
        auto timer = must(Timer::create(rig.stream, {.warm_up_ms = 1, .budget_ms = 1}));
        EXPECT_EQUAL(fake_cuda_bytes(), std::size_t{120} << 20);
        Timing timing = must(timer->measure(rig.work("slow")));
        must(timer->measure(rig.work("slow")));
        EXPECT_EQUAL(fake_cuda_calls("cuMemAllocAsync"), 1);
        EXPECT_EQUAL(fake_cuda_calls("cuMemsetD8Async"), 2 * timing.cold.samples);
    });
    suite.run("variants are measured in turn", [] {
        Running rig("time=fast:50;time=slow:100");
        auto timer = must(Timer::create(rig.stream, {.warm_up_ms = 0.1, .budget_ms = 1}));
        Timer::Work works[] = {rig.work("fast"), rig.work("slow")};
        auto timings = must(timer->compare(works));
        EXPECT(close(timings[0].cold.median_us, 50) && close(timings[1].cold.median_us, 100));
        EXPECT_HOLDS(rig.order, "fsfsfsfsfsfsfsfsfsfs");
    });
    suite.run("work that cannot be recorded is timed without a graph, and says why", [] {
        Running rig("time=fast:4");
        auto timer = must(Timer::create(rig.stream, {.warm_up_ms = 0.1, .budget_ms = 1}));
        auto fast = rig.work("fast");
        Timing timing = must(timer->measure([&] {
            must(fast());
            return rig.stream->wait();
        }));
        EXPECT(!timing.hot.in_graph && close(timing.hot.median_us, 4));
        EXPECT_HOLDS(timing.note, "not timed in a graph");
    });
    suite.run("a kernel that fails ends the measurement with its own error", [] {
        Running rig("fault=broken:716");
        auto timer = must(Timer::create(rig.stream));
        EXPECT_HOLDS(error_text(timer->measure(rig.work("broken"))), "[kernel-fault] kernel 'broken'");
    });
    suite.run("no memory for the flush is said as such", [] {
        Running rig("memory=1000");
        EXPECT_HOLDS(error_text(Timer::create(rig.stream)), "flushing the cache between measurements needs 120 MiB");
    });
    suite.run("clocks, power and what slows the device stand beside the times", [] {
        Running rig;
        setenv("HIDET_LIBNVML", HIDET_FAKE_NVML_LIBRARY, 1);
        auto timer = must(Timer::create(rig.stream, {.warm_up_ms = 1, .budget_ms = 1}));
        DeviceState state = must(timer->measure(rig.work("fast"))).after;
        EXPECT_EQUAL(state.sm_clock_mhz.value_or(0), 1755);
        EXPECT_EQUAL(state.memory_clock_mhz.value_or(0), 3201);
        EXPECT_EQUAL(state.temperature_celsius.value_or(0), 61);
        EXPECT_EQUAL(state.power_watts.value_or(0), 512.5);
        EXPECT_EQUAL(join(state.slowed_by.value_or(std::vector<std::string>{"unknown"}), ", "), "power limit");
        setenv("HIDET_LIBNVML", "/nowhere/libnvidia-ml.so.1", 1);
        Monitor none(rig.context->device());
        EXPECT(!none.works() && !none.read().sm_clock_mhz && !none.read().slowed_by);
        unsetenv("HIDET_LIBNVML");
    });
}

void peers(Suite& suite) {
    suite.run("a product of cuBLAS is row-major as ours are", [] {
        Running rig;
        setenv("HIDET_LIBCUBLAS", HIDET_FAKE_CUBLAS_LIBRARY, 1);
        auto cublas = must(Cublas::load(rig.stream));
        unsetenv("HIDET_LIBCUBLAS");
        EXPECT_EQUAL(cublas->version(), "cuBLAS 13.0.2");
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
        EXPECT(c == expected);
        gemm.type = GemmType::BF16;
        EXPECT_EQUAL(error_text(cublas->multiply(gemm)),
                     "[device-error] a matrix product of cuBLAS failed: CUBLAS_STATUS_NOT_SUPPORTED");
    });
    suite.run("a missing cuBLAS says how to get it", [] {
        Running rig;
        setenv("HIDET_LIBCUBLAS", "/nowhere/libcublas.so.13", 1);
        std::string text = error_text(Cublas::load(rig.stream));
        unsetenv("HIDET_LIBCUBLAS");
        EXPECT_HOLDS(text, "[cublas-missing] cuBLAS is not found");
        EXPECT_HOLDS(text, "nvidia-cublas");
    });
}

} // namespace

int main(int argc, char** argv) {
    Suite suite(argc, argv);
    graphs(suite);
    timings(suite);
    peers(suite);
    return suite.result();
}
