// SPDX-License-Identifier: Apache-2.0
// Numbers and classes of nodes, on snapshots made by hand.
#include "app/session/model/view/kernel_figures.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>

using namespace hidet;
using namespace hidet::session;

namespace {

std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts)
        out += (out.empty() ? "" : "|") + part;
    return out;
}

GraphNode made_node(std::uint32_t id, const std::string& op, std::vector<std::uint32_t> inputs,
                    std::vector<std::uint32_t> outputs) {
    GraphNode node;
    node.id = id;
    node.op = op;
    node.name = op + std::to_string(id);
    node.key = "key" + std::to_string(id);
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    node.least_seconds = 1e-6;
    return node;
}

// A value v is made by nodes as their outputs say; its type is the test's to change.
struct OverlaidModel {
    std::vector<GraphNode> nodes;
    std::vector<GraphKernel> kernels;
    std::vector<std::pair<std::uint32_t, std::string>> types;

    std::shared_ptr<ModelGraph> graph() const {
        auto out = std::make_shared<ModelGraph>();
        for (const GraphNode& node : nodes)
            out->nodes.push_back(std::make_shared<GraphNode>(node));
        out->kernels = kernels;
        for (const auto& [id, dtype] : types) {
            GraphValue value;
            value.id = id;
            value.dtype = dtype;
            out->values.push_back(std::make_shared<GraphValue>(value));
        }
        return out;
    }
    void kernel(std::vector<std::uint32_t> of, double seconds, bool is_host = false) {
        GraphKernel kernel;
        kernel.anchor = of.front();
        kernel.key = "key" + std::to_string(of.front());
        kernel.nodes = std::move(of);
        kernel.least_seconds = seconds;
        kernel.is_host = is_host;
        kernels.push_back(kernel);
    }
};

// conv 1 and relu 2 are a kernel, pool 3 is one, sort 4 is the host's. The import had conv 10, which became 1.
struct Model {
    OverlaidModel last;
    ModelSnapshot snapshot;
    ModelFindings findings;

    Model() {
        last.nodes = {made_node(1, "conv2d", {100}, {101}), made_node(2, "relu", {101}, {102}),
                      made_node(3, "pool", {102}, {103}), made_node(4, "sort", {102}, {104})};
        last.nodes[0].replaces = {10};
        last.kernel({1, 2}, 4e-6);
        last.kernel({3}, 1e-6);
        last.kernel({4}, 2e-6, true);
    }
    void finish() {
        OverlaidModel first;
        first.nodes = {made_node(10, "Conv", {100}, {101}), made_node(2, "relu", {101}, {102})};
        snapshot.graphs = {first.graph(), last.graph()};
        snapshot.roofs = {"a device", 1e12, 0, 1e11, 1e-6, false};
    }
    void measure() {
        auto bench = std::make_shared<ModelBenchResult>();
        for (const auto& [anchor, seconds] : {std::pair{1, 8e-6}, std::pair{3, 0.5e-6}, std::pair{3, 1.5e-6}}) {
            ModelStepRow row;
            row.group = "key" + std::to_string(anchor);
            row.seconds = seconds;
            row.least_seconds = 1e-6;
            row.bound = "memory";
            bench->steps.push_back(row);
        }
        findings.bench = bench;
    }
    Overlay of(OverlayKind kind) const { return overlay_of(snapshot, *snapshot.graphs.back(), findings, kind); }
};

TEST_CASE("what is missing says how to get it") {
    Model model;
    model.finish();
    for (const OverlayKind kind : {OverlayKind::Latency, OverlayKind::Share, OverlayKind::OfRoof}) {
        const Overlay overlay = model.of(kind);
        REQUIRE(overlay.unavailable.find("F5") != std::string::npos);
        REQUIRE(overlay.nodes.size() == 4u);
        REQUIRE(!overlay.nodes[0].value);
    }
    REQUIRE(model.of(OverlayKind::Error).unavailable.find("ompare") != std::string::npos);
    REQUIRE(model.of(OverlayKind::Flops).unavailable.find("dynamic") != std::string::npos);
    // Of a device without roofs a share of them cannot be said, and no zero either.
    model.measure();
    auto bench = std::make_shared<ModelBenchResult>(*model.findings.bench);
    for (ModelStepRow& row : bench->steps)
        row.least_seconds = 0;
    model.findings.bench = bench;
    REQUIRE(!model.of(OverlayKind::OfRoof).unavailable.empty());
    REQUIRE(model.of(OverlayKind::Latency).unavailable.empty());
}

TEST_CASE("an empty model, and one whose kernels are not formed") {
    Model model;
    model.last.nodes.clear();
    model.last.kernels.clear();
    model.finish();
    for (const OverlayInfo& info : all_overlays())
        REQUIRE(model.of(info.kind).nodes.empty());
    REQUIRE(critical_path(ModelSnapshot{}, {}).nodes.empty());
    REQUIRE(critical_path(model.snapshot, {}).nodes.empty());
    Model raw;
    raw.last.kernels.clear();
    raw.finish();
    REQUIRE(raw.of(OverlayKind::Device).unavailable.find("optimised") != std::string::npos);
    REQUIRE(raw.of(OverlayKind::Predicted).total == 4e-6);
}

TEST_CASE("the numbers of a file stand at operators, kernels and what came of operators") {
    Model model;
    model.last.kernels[1].names = {"pool_kernel"};
    model.finish();
    REQUIRE(model.of(OverlayKind::Numbers).unavailable.find("Choose") != std::string::npos);
    NumberFile file;
    file.title = "Energy";
    file.unit = "mW";
    file.numbers = {{"Conv10", 2}, {"key2", 1200}, {"pool_kernel", 3}, {"nobody", 4}};
    model.findings.numbers = std::make_shared<const NumberFile>(file);
    const Overlay numbers = model.of(OverlayKind::Numbers);
    REQUIRE(numbers.title == "Energy");
    REQUIRE(numbers.unit == "mW");
    REQUIRE(numbers.nodes[0].value == 2); // what conv 10 became
    REQUIRE(numbers.nodes[1].text == "1200 mW");
    REQUIRE(numbers.nodes[2].value == 3); // by its kernel
    REQUIRE(!numbers.nodes[3].value);
    REQUIRE(numbers.nodes[3].text == "no number");
    REQUIRE(numbers.without == 1u);
    REQUIRE(joined(numbers.unmatched) == "nobody");
    REQUIRE(numbers.least == 2);
    REQUIRE(numbers.greatest == 1200);
    file.numbers = {{"nobody", 4}};
    model.findings.numbers = std::make_shared<const NumberFile>(file);
    REQUIRE(!model.of(OverlayKind::Numbers).unavailable.empty());
    REQUIRE(joined(model.of(OverlayKind::Numbers).unmatched) == "nobody");
}

TEST_CASE("the time of a kernel is divided among its operators by what each needs at least") {
    Model model;
    model.last.nodes[0].least_seconds = 3e-6; // relu needs a third of it
    model.finish();
    model.measure();
    const Overlay latency = model.of(OverlayKind::Latency);
    REQUIRE(latency.unavailable == "");
    REQUIRE(std::abs(*latency.nodes[0].value - 6e-6) < 1e-12);
    REQUIRE(std::abs(*latency.nodes[1].value - 2e-6) < 1e-12);
    REQUIRE(*latency.nodes[2].value == 2e-6); // two steps
    REQUIRE(!latency.nodes[3].value);
    REQUIRE(latency.nodes[0].text == "6.00 \u00b5s");
    REQUIRE(std::abs(latency.total - 10e-6) < 1e-12);
    REQUIRE(std::abs(*latency.kernels[0] - 8e-6) < 1e-12); // whole
    REQUIRE(!latency.kernels[2]);
    REQUIRE(std::abs(model.of(OverlayKind::Predicted).total - 7e-6) < 1e-12);
}

TEST_CASE("shares of operators make a hundred percent, and colours are as strong as shares") {
    Model model;
    model.finish();
    model.measure();
    const Overlay shares = model.of(OverlayKind::Share);
    double sum = 0;
    for (const NodeReading& reading : shares.nodes)
        sum += reading.value.value_or(0);
    REQUIRE(std::abs(sum - 100) < 1e-9);
    REQUIRE(std::abs(*shares.nodes[0].value - 40) < 1e-9);
    REQUIRE(std::abs(*shares.nodes[2].value - 20) < 1e-9);
    REQUIRE(shares.nodes[0].text == "40 %");
    REQUIRE(std::abs(*on_scale(shares, shares.nodes[2]) - 0.5) < 1e-9);
    // A thousandth of the greatest share is no warmer than a thousandth of the scale.
    NodeReading small;
    small.value = shares.greatest / 1000;
    REQUIRE(std::abs(*on_scale(shares, small) - 0.001) < 1e-9);
}

TEST_CASE("what is near to the roof says which roof that is") {
    Model model;
    model.finish();
    model.measure();
    const Overlay near = model.of(OverlayKind::OfRoof);
    REQUIRE(std::abs(*near.nodes[0].value - 12.5) < 1e-9); // of the kernel, at each of its operators
    REQUIRE(std::abs(*near.nodes[1].value - 12.5) < 1e-9);
    REQUIRE(near.nodes[0].text == "12 %, memory");
    REQUIRE(near.greatest == 100.0);
    REQUIRE(near.machine == "a device");
}

TEST_CASE("once a model is measured, predictions are for the machine that measured it") {
    Model model;
    model.last.nodes[0].flops = model.last.nodes[0].bytes = 1e6;
    model.finish();
    REQUIRE(model.of(OverlayKind::Predicted).machine == "a device");
    REQUIRE(predicted_alone(*model.snapshot.graphs.back()->nodes[0], model.snapshot, model.findings) == 1e-6);
    model.measure();
    auto bench = std::make_shared<ModelBenchResult>(*model.findings.bench);
    bench->roofs = {"this machine", 1e9, 0, 1e9, 0, true};
    model.findings.bench = bench;
    const Overlay predicted = model.of(OverlayKind::Predicted);
    REQUIRE(predicted.machine == "this machine");
    REQUIRE(std::abs(*predicted.kernels[0] - 1e-6) < 1e-15); // its least time there
    REQUIRE(std::abs(*predicted.kernels[1] - 2e-6) < 1e-15);
    REQUIRE(predicted_alone(*model.snapshot.graphs.back()->nodes[0], model.snapshot, model.findings) == 1e-3);
}

TEST_CASE("operators of earlier graphs have the numbers of what they became") {
    Model model;
    model.finish();
    model.measure();
    const Overlay import =
        overlay_of(model.snapshot, *model.snapshot.graphs.front(), model.findings, OverlayKind::Latency);
    REQUIRE(*import.nodes[0].value == 4e-6); // Conv became conv2d
    REQUIRE(*import.nodes[1].value == 4e-6); // relu is in both
    REQUIRE(std::abs(import.total - 8e-6) < 1e-12);
}

TEST_CASE("rows of another revision are found by key, and not by an id that means another node now") {
    Model model;
    model.finish();
    auto bench = std::make_shared<ModelBenchResult>();
    ModelStepRow row;
    row.group = "key3";
    row.node_ids = {1};
    row.seconds = 1;
    bench->steps = {row};
    model.findings.bench = bench;
    const Overlay latency = model.of(OverlayKind::Latency);
    REQUIRE(!latency.nodes[0].value);
    REQUIRE(*latency.nodes[2].value == 1.0);
}

TEST_CASE("the scale is one of powers of ten where numbers differ by more than a hundred") {
    Model model;
    model.last.nodes[0].bytes = 0;
    model.last.nodes[1].bytes = 1000;
    model.last.nodes[2].bytes = 100'000;
    model.finish();
    const Overlay linear = model.of(OverlayKind::Bytes);
    REQUIRE(!linear.is_logarithmic);
    REQUIRE(linear.least == 0.0);
    REQUIRE(std::abs(*on_scale(linear, linear.nodes[1]) - 0.01) < 1e-9);
    REQUIRE(!on_scale(linear, linear.nodes[3]));
    model.last.nodes[1].bytes = 10;
    model.finish();
    const Overlay wide = model.of(OverlayKind::Bytes);
    REQUIRE(wide.is_logarithmic);
    REQUIRE(wide.least == 10.0);
    REQUIRE(*on_scale(wide, wide.nodes[0]) == 0.0);
    REQUIRE(*on_scale(wide, wide.nodes[2]) == 1.0);
    NodeReading middle;
    middle.value = 1000;
    REQUIRE(std::abs(*on_scale(wide, middle) - 0.5) < 1e-9);
}

TEST_CASE("one number is in the middle of its scale") {
    Model model;
    model.last.nodes[2].flops = 7;
    model.finish();
    const Overlay flops = model.of(OverlayKind::Flops);
    REQUIRE(*on_scale(flops, flops.nodes[2]) == 0.5);
    REQUIRE(flops.nodes[2].text == "7 FLOP");
}

TEST_CASE("errors are found by id and name; what is not a number is beyond the scale") {
    Model model;
    model.finish();
    auto compared = std::make_shared<ModelRunResult>();
    ModelNodeError fine, bad;
    fine.node = "conv2d1";
    fine.relative = 2e-7;
    bad.node = "pool3";
    bad.relative = std::numeric_limits<double>::quiet_NaN();
    bad.is_bad = true;
    fine.node_id = 1;
    bad.node_id = 1; // of another revision: the name is another's
    compared->nodes = {fine, bad};
    model.findings.comparison = compared;
    const Overlay errors = model.of(OverlayKind::Error);
    REQUIRE(errors.nodes[0].text == "2e-7");
    REQUIRE(!errors.nodes[0].is_beyond);
    REQUIRE(errors.nodes[2].is_beyond);
    REQUIRE(*on_scale(errors, errors.nodes[2]) == 1.0);
    REQUIRE(!errors.nodes[1].value);
}

TEST_CASE("intensity names the roof that is above") {
    Model model;
    model.last.kernels[0].flops = 1000;
    model.last.kernels[0].bytes = 10;
    model.last.kernels[1].flops = 10;
    model.last.kernels[1].bytes = 10;
    model.finish();
    const Overlay intensity = model.of(OverlayKind::Intensity);
    REQUIRE(intensity.nodes[0].text == "100 FLOP/B, arithmetic");
    REQUIRE(intensity.nodes[2].text == "1 FLOP/B, memory");
}

TEST_CASE("classes that occur, with the same hue in every graph") {
    Model model;
    model.last.types = {{101, "float32"}, {102, "float16"}, {103, "float16"}, {104, "mine"}};
    model.last.nodes[3].outputs = {104, 103}; // a floating output says more than another
    model.finish();
    const Overlay both = model.of(OverlayKind::Precision);
    REQUIRE(joined(both.classes) == "float32|float16");
    REQUIRE(both.nodes[0].text == "float32");
    REQUIRE(both.nodes[3].text == "float16");
    model.last.types[0].second = "float16";
    model.finish();
    const Overlay half = model.of(OverlayKind::Precision);
    REQUIRE(joined(half.classes) == "float16");
    REQUIRE(half.hues[0] == both.hues[1]);
    REQUIRE(joined(model.of(OverlayKind::Device).classes) == "Kernel|Host");
    REQUIRE(model.of(OverlayKind::Device).nodes[3].text == "Host");
}

TEST_CASE("how processes share operators, those that became others too, and what they exchange") {
    Model model;
    model.finish();
    REQUIRE(model.of(OverlayKind::Placement).unavailable.find("Settings") != std::string::npos);
    model.snapshot.placements = {{10, "split along 1"}, {2, "whole"}, {3, "partial sums"}};
    model.last.nodes[3].op = "AllReduce";
    model.finish();
    const Overlay overlay = model.of(OverlayKind::Placement);
    REQUIRE(overlay.unavailable.empty());
    REQUIRE(joined(overlay.classes) == "Exchange|Whole|Partial sums|Split along 1");
    REQUIRE(overlay.nodes[0].text == "Split along 1"); // 1 was 10
    REQUIRE(overlay.nodes[3].text == "AllReduce");
}

TEST_CASE("what the pass changed") {
    Model model;
    model.finish();
    REQUIRE(!model.of(OverlayKind::Changes).unavailable.empty());
    auto changed = std::make_shared<ModelGraph>(*model.snapshot.graphs.back());
    changed->added = {1};
    changed->rewired = {2};
    model.snapshot.graphs.back() = changed;
    const Overlay changes = model.of(OverlayKind::Changes);
    REQUIRE(joined(changes.classes) == "Made|Rewired");
    REQUIRE(changes.nodes[0].text == "Made");
    REQUIRE(changes.nodes[2].cls == no_id);
    REQUIRE(overlay_of(model.snapshot, *model.snapshot.graphs.front(), {}, OverlayKind::Changes)
                .unavailable.find("import") != std::string::npos);
}

TEST_CASE("the critical path goes through the slower of two branches") {
    Model model;
    model.finish();
    const CriticalPath predicted = critical_path(model.snapshot, {});
    REQUIRE(predicted.nodes == (std::vector<std::uint32_t>{1, 2, 4}));
    REQUIRE(std::abs(predicted.seconds - 6e-6) < 1e-12);
    REQUIRE(!predicted.is_measured);
    model.measure();
    const CriticalPath measured = critical_path(model.snapshot, model.findings);
    REQUIRE(measured.nodes == (std::vector<std::uint32_t>{1, 2, 3}));
    REQUIRE(measured.is_measured);
}

TEST_CASE("figures have three digits and a fitting unit") {
    REQUIRE(text_of_quantity(12.34e-6, "s") == "12.3 \u00b5s");
    REQUIRE(text_of_quantity(0, "s") == "0 s");
    REQUIRE(text_of_quantity(3 << 20, "B") == "3 MiB");
    REQUIRE(text_of_quantity(1536, "B") == "1.50 KiB");
    REQUIRE(text_of_quantity(0, "B") == "0 B");
    REQUIRE(text_of_quantity(1.3e9, "FLOP") == "1.30 GFLOP");
    REQUIRE(text_of_quantity(12.25, "FLOP/B") == "12.2 FLOP/B");
    REQUIRE(text_of_quantity(99.95, "%") == "100 %");
    REQUIRE(text_of_quantity(2.1e-6, "") == "2.1e-6");
    REQUIRE(text_of_quantity(1e8, "") == "1e8");
    REQUIRE(scale_of(2e-3, "s").unit == "ms");
    REQUIRE(scale_of(3e10, "FLOP").unit == "GFLOP");
    REQUIRE(scale_of(0, "B").unit == "B");
}

} // namespace
