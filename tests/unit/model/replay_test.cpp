// SPDX-License-Identifier: Apache-2.0
// Runs of graphs, one after the other, as the driver of the tests sees them.
#include <doctest/doctest.h>

#include "app/session/kernel_bench/run.h"
#include "app/session/tools/tools.h"
#include "tests/fake/cuda/loaded.h"

using namespace hidet;
using namespace hidet::session;

namespace {

// What the driver was asked whenever the script prints.
struct Asked {
    std::vector<int> kernels, graphs, downloads;
    RunResult result;
};

Asked asked(LoadedFakeCuda& gpu, const std::string& text, Target target) {
    Asked asked;
    RunRequest request;
    request.source = {"graph.py", text, "/", false};
    request.target = target;
    request.tools = open_tools();
    request.print = [&](std::string_view) {
        asked.kernels.push_back(gpu.calls("cuLaunchKernelEx"));
        asked.graphs.push_back(gpu.calls("cuGraphLaunch"));
        asked.downloads.push_back(gpu.calls("cuMemcpyDtoHAsync_v2"));
    };
    asked.result = session::run(request);
    return asked;
}

constexpr const char* two_products = R"(
import hidet
x = hidet.symbol([2, 3], device='cuda')
w = hidet.ones([3, 3], device='cuda')
graph = hidet.graph.optimize(hidet.trace_from(x @ w @ w))
replayed = graph.build().cuda_graph()
for i in range(3):
    replayed.run()
    print(i)
replayed.run([hidet.ones([2, 3], device='cuda')])
print(3)
)";

TEST_CASE("from its second run on, a graph of a script is one launch, and no kernel is launched for itself") {
    LoadedFakeCuda gpu;
    const Asked seen = asked(gpu, two_products, Target::Cuda);
    REQUIRE((seen.result.status == Status::Ok && seen.result.diagnostics.empty()));
    REQUIRE(seen.kernels.size() == 4);
    const int kernels = seen.kernels[0];
    REQUIRE(kernels >= 2);
    REQUIRE(seen.kernels[1] == 2 * kernels); // recorded
    REQUIRE((seen.kernels[2] == 2 * kernels && seen.kernels[3] == 2 * kernels));
    REQUIRE(seen.graphs == std::vector<int>{0, 1, 2, 3});
    REQUIRE(gpu.calls("cuGraphInstantiateWithFlags") == 1);
}

TEST_CASE("a result that is an input under another shape is copied on the device") {
    LoadedFakeCuda gpu;
    const Asked seen = asked(gpu, R"(
import hidet
x = hidet.symbol([2, 3], device='cuda')
graph = hidet.trace_from([x * 2.0, hidet.ops.reshape(x, [6])], inputs=[x]).build()
y = hidet.ones([2, 3], device='cuda') + 1.0
print(0)
results = graph(y)
print(1)
assert results[1].tolist() == [2.0] * 6
)",
                             Target::Cuda);
    REQUIRE((seen.result.status == Status::Ok && seen.result.diagnostics.empty()));
    REQUIRE(seen.downloads.size() == 2);
    REQUIRE(seen.downloads[0] == seen.downloads[1]);
}

TEST_CASE("a graph with a step on the host runs step by step") {
    LoadedFakeCuda gpu;
    const Asked seen = asked(gpu, R"(
import hidet
x = hidet.symbol([4], device='cuda')
graph = hidet.graph.optimize(hidet.trace_from(hidet.ops.nonzero(x * 2.0)))
replayed = graph.build().cuda_graph()
for i in range(3):
    replayed.run()
    print(i)
)",
                             Target::Cuda);
    REQUIRE(seen.result.status == Status::Ok);
    REQUIRE(seen.graphs == std::vector<int>{0, 0, 0});
    REQUIRE((seen.kernels[1] == 2 * seen.kernels[0] && seen.kernels[2] == 3 * seen.kernels[0]));
}

TEST_CASE("the emulator runs graphs of scripts without a driver") {
    LoadedFakeCuda gpu;
    const Asked seen = asked(gpu, two_products, Target::Emulate);
    REQUIRE((seen.result.status == Status::Ok && seen.graphs == std::vector<int>{0, 0, 0, 0}));
    REQUIRE(seen.kernels.back() == 0);
}

} // namespace
