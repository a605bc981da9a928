// SPDX-License-Identifier: Apache-2.0
// Launches in a row, as the driver of the tests sees them.
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <set>

#include "app/session/bench/bench.h"
#include "app/session/tools/tools.h"
#include "tests/fake/cuda/loaded.h"

using namespace hidet;
using namespace hidet::session;

namespace {

constexpr const char* product_script = R"(
import hidet
from hidet.lang import attrs, f32
from hidet.ir.primitives.cuda import griddepcontrol_wait

with hidet.script_module() as m:
    @hidet.script
    def product(a: f32[2, 64], b: f32[64, 32], c: f32[2, 32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        griddepcontrol_wait()
        for i in range(100000000):  # too many to be made again on the emulator
            c[0, 0] += a[0, 0] * b[0, 0]
f = m.build()
f(hidet.ones([2, 64], device='cuda'), hidet.ones([64, 32], device='cuda'), hidet.zeros([2, 32], device='cuda'))
)";

struct SeenLaunch {
    std::uint64_t a = 0, b = 0, c = 0;
    bool is_programmatic = false;
    float first_weight = 0;
};

class WatchedGpu : public LoadedFakeCuda {
public:
    WatchedGpu() {
        function<decltype(fake_cuda_set)>("fake_cuda_set")("time=product:20000");
        function<decltype(fake_cuda_on_launch)>("fake_cuda_on_launch")(note, this);
    }
    ~WatchedGpu() { function<decltype(fake_cuda_on_launch)>("fake_cuda_on_launch")(nullptr, nullptr); }
    WatchedGpu(const WatchedGpu&) = delete;
    WatchedGpu& operator=(const WatchedGpu&) = delete;

    std::vector<SeenLaunch> launches;

private:
    static void note(const FakeCudaLaunch* launch, void* self) {
        SeenLaunch seen;
        std::memcpy(&seen.a, launch->parameters[0], sizeof seen.a);
        std::memcpy(&seen.b, launch->parameters[1], sizeof seen.b);
        std::memcpy(&seen.c, launch->parameters[2], sizeof seen.c);
        std::memcpy(&seen.first_weight, reinterpret_cast<const void*>(seen.b), sizeof seen.first_weight);
        seen.is_programmatic = launch->is_programmatic;
        static_cast<WatchedGpu*>(self)->launches.push_back(seen);
    }
};

BenchResult measured(Target target, int in_a_row) {
    BenchRequest request;
    request.run.source = {"product.py", product_script, "/", false};
    request.run.target = target;
    request.run.tools = open_tools();
    request.in_a_row = in_a_row;
    return session::bench(request);
}

TEST_CASE("launches in a row take turns with copies of the weights, in one graph, launched as the kernel wants") {
    WatchedGpu gpu;
    BenchResult result = measured(Target::Cuda, 5);
    REQUIRE((result.status == Status::Ok && result.rows.size() == 1 && result.rows[0].in_a_row));
    const InARow& row = *result.rows[0].in_a_row;
    REQUIRE((row.launches == 5 && row.copies == 5 && row.is_graph && !row.leave_cache));
    REQUIRE(row.copied == std::vector<std::string>{"b"});
    REQUIRE(row.shared == std::vector<std::string>{"a", "c"});
    REQUIRE(row.bytes == 5 * 64 * 32 * 4);
    REQUIRE(std::fabs(row.times.median - 0.02) < 1e-6);
    REQUIRE(gpu.calls("cuGraphInstantiateWithFlags") == 1);
    REQUIRE(gpu.launches.size() > 5);
    std::set<std::uint64_t> weights, others;
    for (std::size_t i = gpu.launches.size() - 5; i < gpu.launches.size(); ++i) {
        const SeenLaunch& seen = gpu.launches[i];
        weights.insert(seen.b);
        others.insert({seen.a, seen.c});
        REQUIRE((seen.is_programmatic && seen.first_weight == 1.0f));
    }
    REQUIRE((weights.size() == 5 && others.size() == 2));
    REQUIRE(weights.count(gpu.launches[0].b) == 1); // the script's own are the first
}

TEST_CASE("a call is measured without a row where none was asked for") {
    WatchedGpu gpu;
    BenchResult result = measured(Target::Cuda, 0);
    REQUIRE((result.rows.size() == 1 && !result.rows[0].in_a_row));
    REQUIRE(gpu.calls("cuGraphLaunch") == 0);
}

TEST_CASE("the emulator has no launches in a row") {
    BenchResult result = measured(Target::Emulate, 5);
    REQUIRE((result.status == Status::WrongUsage && result.rows.empty() && result.diagnostics.size() == 1));
    REQUIRE(result.diagnostics[0].message == "launches in a row are measured on a GPU: '--target emulate' uses none");
}

} // namespace
