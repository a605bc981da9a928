// SPDX-License-Identifier: Apache-2.0
// Two models in numbers: totals, kernels by what they compute, weights, groups.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <string>

#include "app/session/model/compare/compare_models.h"

using namespace hidet;
using namespace hidet::session;

namespace {

enum class Fused { Yes, No };

ComparedModel look_at(const std::string& model, Fused fused = Fused::Yes) {
    ModelViewRequest request;
    request.path = std::string(HIDET_SOURCE_FOLDER) + "/tests/models/" + model;
    request.target = Target::Cpu;
    request.tools = open_tools({nullptr, false});
    request.fuse = fused == Fused::Yes;
    ComparedModel out;
    out.snapshot = view_model(request);
    REQUIRE(out.snapshot->last() != nullptr);
    out.shown = out.snapshot->graphs.size() - 1;
    return out;
}

// As if every kernel took as many microseconds as it has operators.
void measure(ComparedModel& model) {
    auto bench = std::make_shared<ModelBenchResult>();
    for (const GraphKernel& kernel : model.snapshot->last()->kernels) {
        ModelStepRow& step = bench->steps.emplace_back();
        step.group = kernel.key;
        step.node_ids = kernel.nodes;
        step.seconds = 1e-6 * static_cast<double>(kernel.nodes.size());
        bench->times.median += step.seconds;
    }
    bench->times.count = 1;
    model.findings.bench = bench;
}

double sum(const ModelComparison& comparison, std::optional<double> ComparedKernels::*seconds) {
    double out = 0;
    for (const ComparedKernels& row : comparison.kernels)
        out += (row.*seconds).value_or(0);
    return out;
}
bool is_near(double a, double b) {
    return std::abs(a - b) < 1e-9;
}

TEST_CASE("the time of a kernel stands for its operators") {
    ComparedModel fused = look_at("residual/residual.onnx"), single = look_at("residual/residual.onnx", Fused::No);
    const std::size_t kernels = fused.snapshot->last()->kernels.size();
    REQUIRE(kernels < single.snapshot->last()->kernels.size());
    measure(fused);
    measure(single);
    const ModelComparison comparison = compare_models(fused, single);
    REQUIRE(comparison.is_measured);
    REQUIRE((!comparison.kernels.empty() && comparison.kernels.size() <= kernels));
    for (const ComparedKernels& row : comparison.kernels) {
        REQUIRE((row.left_kernels >= 1 && row.right_kernels >= row.left_kernels));
        REQUIRE((row.left_seconds && row.right_seconds && !row.name.empty()));
    }
    // All time is in one row or another.
    REQUIRE(is_near(sum(comparison, &ComparedKernels::left_seconds), fused.findings.bench->times.median));
    REQUIRE(is_near(sum(comparison, &ComparedKernels::right_seconds), single.findings.bench->times.median));
    const auto total = std::ranges::find(comparison.totals, std::string("Measured time"), &ComparedTotal::title);
    REQUIRE((total != comparison.totals.end() && is_near(*total->left, fused.findings.bench->times.median)));
}

TEST_CASE("times are predicted unless both are measured") {
    ComparedModel left = look_at("residual/residual.onnx"), right = look_at("edited/edited.onnx");
    measure(left);
    const ModelComparison comparison = compare_models(left, right);
    REQUIRE(!comparison.is_measured);
    double predicted = 0;
    for (const GraphKernel& kernel : left.snapshot->last()->kernels)
        predicted += kernel.least_seconds;
    REQUIRE(is_near(sum(comparison, &ComparedKernels::left_seconds), predicted));
    const auto total = std::ranges::find(comparison.totals, std::string("Measured time"), &ComparedTotal::title);
    REQUIRE((total->left && !total->right));
}

TEST_CASE("operators with other weights are found") {
    ComparedModel left = look_at("residual/residual.onnx"), right = look_at("edited/edited.onnx");
    left.shown = right.shown = 0;
    const ModelComparison comparison = compare_models(left, right);
    REQUIRE(summary_of(comparison.matching) == "1 changed, 1 new, 1 gone");
    REQUIRE(comparison.other_weights.size() == 6u);
    REQUIRE(compare_models(left, left).other_weights.empty());
}

TEST_CASE("a document says nothing of weights") {
    const ModelComparison comparison = compare_models(look_at("mlp/mlp.onnx"), look_at("document/mlp.json"));
    REQUIRE(comparison.other_weights.empty());
    REQUIRE(comparison.matching.changed + comparison.matching.added + comparison.matching.gone == 0u);
}

TEST_CASE("groups have partners") {
    const ComparedModel model = look_at("../../samples/models/encoder.onnx");
    const ModelGraph& graph = *model.snapshot->graphs.front();
    const auto boxes = graph.boxes({});
    const auto groups = match_groups(*boxes, *boxes, match_graphs(graph, graph));
    REQUIRE(boxes->groups.size() > 4);
    for (std::size_t i = 1; i < boxes->groups.size(); ++i)
        if (boxes->groups[i].boxes > 0)
            REQUIRE(groups.at(boxes->drawn.groups[i].key) == boxes->drawn.groups[i].key);
}

TEST_CASE("a stopped comparison is empty") {
    const ComparedModel model = look_at("mlp/mlp.onnx");
    const std::atomic<bool> stopped = true;
    const ModelComparison comparison = compare_models(model, model, &stopped);
    REQUIRE((comparison.matching.nodes.empty() && comparison.kernels.empty()));
}

} // namespace
