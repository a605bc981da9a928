// SPDX-License-Identifier: Apache-2.0
// What the window waits for when a large model is opened: each phase, boxes of its last graph, a search at a key,
// the code of an operator.
#include <algorithm>
#include <filesystem>

#include "app/session/model/model_code.h"
#include "app/session/model/view/model_search.h"
#include "app/session/model/view/model_view.h"
#include "compiler/graph/document/document.h"
#include "tests/bench/bench.h"
#include "tests/bench/graph_models.h"

using namespace hidet;
using namespace hidet::session;

namespace {

double stage_ms(const ModelSnapshot& snapshot, std::string_view stage) {
    for (const StageTime& time : snapshot.stages)
        if (time.stage == stage)
            return time.ms;
    return 0;
}

// The slowest of some fifty programs, each asked for the first time.
double slowest_code(const ModelCode& code) {
    double slowest = 0;
    const std::size_t step = std::max<std::size_t>(1, code.programs().size() / 50);
    for (std::size_t program = 0; program < code.programs().size(); program += step) {
        CodeQuestion question;
        question.program = static_cast<std::uint32_t>(program);
        question.form = Form::Cpp;
        const auto start = bench::Clock::now();
        code.answer(question);
        slowest = std::max(slowest, bench::milliseconds_since(start));
    }
    return slowest;
}

void measure(const std::string& name, graph::Graph (*build)(int), int nodes) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "hidet-model-view-bench.json";
    std::ofstream(file) << graph::write_document({build(nodes)});
    ModelViewRequest request;
    request.path = file.string();
    request.target = Target::Cpu;
    request.tools = open_tools({nullptr, false});
    const auto start = bench::Clock::now();
    double phases[3] = {};
    request.published = [&](const SnapshotPtr& snapshot) {
        phases[static_cast<std::size_t>(snapshot->phase)] = bench::milliseconds_since(start);
    };
    const SnapshotPtr snapshot = view_model(request);
    std::filesystem::remove(file);

    const std::string title = "model view/" + name + " of " + std::to_string(nodes) + " nodes: ";
    const double scale = nodes / 5000.0;
    bench::figure(title + "import", stage_ms(*snapshot, "import"), "ms");
    bench::figure(title + "from the import to its graph", phases[0] - stage_ms(*snapshot, "import"), "ms", 250 * scale);
    bench::figure(title + "from there to kernels", phases[1] - phases[0], "ms", 750 * scale);
    bench::figure(title + "from there to the plan", phases[2] - phases[1], "ms");
    if (snapshot->code)
        bench::figure(title + "code of an operator, the slowest", slowest_code(*snapshot->code), "ms", 200);
    const auto boxes = [&] { snapshot->last()->boxes({}); };
    bench::figure(title + "boxes", bench::median_ms(boxes, 200), "ms", 50 * scale);
    const auto search = [&] { find_nodes(*snapshot->graphs[0], "norm shape:64x"); };
    bench::figure(title + "search", bench::median_ms(search, 100), "ms", 5);
}

} // namespace

int main() {
    for (const int nodes : {5000, 20000}) {
        measure("transformer", bench::transformer, nodes);
        measure("convolutions", bench::convolutions, nodes);
    }
    return 0;
}
