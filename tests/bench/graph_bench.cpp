// SPDX-License-Identifier: Apache-2.0
// All graph passes on large models, and how their time grows: four times the nodes may take little more than four times as
// long. The models are built here, so no file is read.
#include <cstdlib>

#include "compiler/graph/document/document.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/text/print_graph.h"
#include "tests/bench/bench.h"
#include "tests/bench/graph_models.h"

using namespace hidet;
using namespace hidet::graph;

namespace {

void measure(const char* name, Graph (*build)(int)) {
    double times[2] = {};
    for (int i = 0; i < 2; ++i) {
        const int nodes = i ? 20000 : 5000;
        const Graph model = build(nodes);
        const auto start = bench::Clock::now();
        Graph graph = model;
        const Optimised optimised = optimise(graph, {});
        times[i] = bench::milliseconds_since(start);
        bench::figure(std::string("graph/") + name + " of " + std::to_string(nodes) + " nodes", times[i], "ms",
                      i ? 10000 : 2000);
        if (std::getenv("HIDET_BENCH_PASSES"))
            for (const PassRecord& record : optimised.records)
                std::printf("  %-24s %8.1f ms %6zu matches\n", record.pass.c_str(), record.milliseconds,
                            record.matches.size());
        const auto written = bench::Clock::now();
        const std::string text = write_document({graph, nullptr, &optimised}) + print_graph(graph);
        bench::figure(std::string("graph/") + name + " of " + std::to_string(nodes) + " nodes as data",
                      bench::milliseconds_since(written), "ms", i ? 4000 : 1000);
    }
    bench::figure(std::string("graph/") + name + ": growth for four times the nodes", times[1] / times[0], "x", 6);
}

} // namespace

int main() {
    measure("transformer", bench::transformer);
    measure("convolutions", bench::convolutions);
    measure("sums", bench::sums);
    measure("fan", bench::fan);
    return 0;
}
