// SPDX-License-Identifier: Apache-2.0
// What the window shows of a model: its phases, its graph after every pass, kernels, memory, constants.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "app/session/model/compare/graph_diff.h"
#include "app/session/model/view/model_search.h"
#include "app/session/model/view/model_view.h"
#include "app/session/model/view/op_families.h"
#include "compiler/graph/core/data.h"
#include "compiler/graph/document/document.h"

using namespace hidet;
using namespace hidet::session;

namespace {

const std::string models = std::string(HIDET_SOURCE_FOLDER) + "/tests/models/";

ModelViewRequest request_for(const std::string& model) {
    ModelViewRequest request;
    request.path = models + model;
    request.target = session::Target::Cpu;
    request.tools = open_tools({nullptr, false});
    return request;
}
SnapshotPtr view(const std::string& model) {
    return view_model(request_for(model));
}

const GraphNode& node_named(const ModelGraph& graph, const std::string& name) {
    for (const auto& node : graph.nodes)
        if (node->name == name)
            return *node;
    throw std::runtime_error("no operator is called " + name);
}
const ModelGraph& graph_after(const ModelSnapshot& snapshot, const std::string& pass) {
    for (const auto& graph : snapshot.graphs)
        if (graph->pass == pass)
            return *graph;
    throw std::runtime_error("no graph after " + pass);
}
const GraphValue& value_named(const ModelGraph& graph, const std::string& name) {
    for (const auto& value : graph.values)
        if (value->name == name)
            return *value;
    throw std::runtime_error("no value is called " + name);
}
bool has(const std::vector<std::uint32_t>& ids, std::uint32_t id) {
    return std::ranges::find(ids, id) != ids.end();
}
std::string first_message(const ModelSnapshot& snapshot) {
    return snapshot.diagnostics.empty() ? "" : snapshot.diagnostics.front().message;
}

// ---- phases ------------------------------------------------------------------------------------------------------------

TEST_CASE("phases are published in order") {
    std::vector<SnapshotPtr> published;
    ModelViewRequest request = request_for("residual/residual.onnx");
    request.published = [&](SnapshotPtr snapshot) { published.push_back(std::move(snapshot)); };
    const SnapshotPtr last = view_model(request);
    REQUIRE(published.size() == 3u);
    REQUIRE((published[0]->phase == ModelPhase::Imported && published[1]->phase == ModelPhase::Optimised));
    REQUIRE((published[2] == last && last->phase == ModelPhase::Planned));
    REQUIRE((!published[0]->is_complete && !published[1]->is_complete && last->is_complete));
    REQUIRE(published[0]->graphs.size() == 1u);
    REQUIRE(published[0]->graphs[0]->boxes({})->boxes.size() == 14u); // with the input and the output
    REQUIRE(published[0]->graphs[0] == last->graphs[0]);
    REQUIRE((published[1]->last()->kernels.size() == 4 && published[1]->last()->kernels[0].names.empty()));
    REQUIRE((published[1]->steps.empty() && published[1]->totals.seconds > 0));
    REQUIRE((last->status == Status::Ok && last->opset == 13 && last->producer == "make.py"));
}

TEST_CASE("a request without a plan ends when the graph is optimised") {
    ModelViewRequest request = request_for("residual/residual.onnx");
    request.plans = false;
    int times = 0;
    request.published = [&](const SnapshotPtr&) { ++times; };
    const SnapshotPtr snapshot = view_model(request);
    REQUIRE(
        (times == 2 && snapshot->is_complete && snapshot->phase == ModelPhase::Optimised && snapshot->steps.empty()));
}

TEST_CASE("a broken file is a diagnostic and no graph") {
    const SnapshotPtr broken = view("broken/broken.onnx");
    REQUIRE((broken->is_complete && broken->graphs.empty() && broken->last() == nullptr));
    REQUIRE((broken->status == Status::UserMistake && broken->diagnostics.size() == 1));
    REQUIRE(view("nowhere.onnx")->status == Status::WrongUsage);
    REQUIRE(view("residual")->status == Status::WrongUsage);
}

TEST_CASE("a request can be cancelled before it starts and between phases") {
    std::atomic<bool> cancelled = true;
    ModelViewRequest request = request_for("residual/residual.onnx");
    request.cancelled = &cancelled;
    REQUIRE(view_model(request)->status == Status::Cancelled);

    cancelled = false;
    request.published = [&](const SnapshotPtr&) { cancelled = true; };
    const SnapshotPtr snapshot = view_model(request);
    REQUIRE((snapshot->status == Status::Cancelled && snapshot->is_complete && snapshot->graphs.size() == 1));
}

// ---- graphs ------------------------------------------------------------------------------------------------------------

TEST_CASE("passes say what they added, removed, wired anew, and by which rule") {
    const SnapshotPtr snapshot = view("residual/residual.onnx");
    const ModelGraph& import = *snapshot->graphs[0];
    const ModelGraph& rewritten = graph_after(*snapshot, "subgraph-rewrite");
    REQUIRE(rewritten.title == "Subgraph rewrite");
    REQUIRE(rewritten.matches.size() == 1u);
    REQUIRE(rewritten.matches[0].rule == "scale-into-convolution");
    REQUIRE(rewritten.removed.size() == 2u);
    REQUIRE(rewritten.added.size() == 1u);
    REQUIRE(rewritten.rewired.size() == 1u);
    const GraphNode& made = *rewritten.node(rewritten.added[0]);
    REQUIRE((made.op == "Conv2d" && made.family == OpFamily::Convolution && made.rule == "scale-into-convolution"));
    REQUIRE(rewritten.match_of(made.id) == &rewritten.matches[0]);
    REQUIRE(has(made.replaces, node_named(import, "conv1").id));
    REQUIRE(!rewritten.node(node_named(import, "conv1").id));
    REQUIRE(snapshot->last()->pass == "fuse-operator");
    REQUIRE(snapshot->last()->match_of(made.id) == nullptr); // which made none
}

TEST_CASE("graphs share nodes and values that a pass left alone") {
    const SnapshotPtr snapshot = view("residual/residual.onnx");
    const ModelGraph& import = *snapshot->graphs[0];
    const ModelGraph& rewritten = graph_after(*snapshot, "subgraph-rewrite");
    const std::uint32_t relu = node_named(import, "relu2").id;
    REQUIRE(import.node(relu) == rewritten.node(relu));
    REQUIRE(import.value(import.outputs[0]) == rewritten.value(rewritten.outputs[0]));
    const std::uint32_t rewired = rewritten.rewired[0];
    REQUIRE(import.node(rewired) != rewritten.node(rewired));
    for (const auto& node : rewritten.nodes)
        REQUIRE(snapshot->last()->node(node->id) == node.get());
}

TEST_CASE("nodes and values have names, shapes, costs and neighbours") {
    const SnapshotPtr snapshot = view("residual/residual.onnx");
    const ModelGraph& import = *snapshot->graphs[0];
    const GraphNode& conv = node_named(import, "conv1");
    REQUIRE(conv.op == "Conv2d");
    REQUIRE(conv.key == "conv1");
    REQUIRE(conv.attributes[0].first + "=" + conv.attributes[0].second == "stride=[2, 2]");
    REQUIRE(conv.flops.value() == 2.0 * 8 * 8 * 8 * 3 * 3 * 3);
    REQUIRE((conv.bytes.value() > 0 && conv.least_seconds > 0));
    const GraphValue& x = value_named(import, "x");
    REQUIRE((x.is_input && !x.is_constant && x.producer == no_id && has(x.consumers, conv.id)));
    REQUIRE(x.shape == "[1, 3, 16, 16]");
    REQUIRE(x.bytes.value() == 4.0 * 3 * 16 * 16);
    REQUIRE(value_named(import, "y").is_output);
    REQUIRE(value_named(import, "fc.b").contents.starts_with("[-0.421"));
    const GraphValue& r1 = value_named(import, "r1");
    REQUIRE(r1.consumers.size() == 2u);
    for (std::size_t i = 0; i < import.nodes.size(); ++i) // producers first
        for (const std::uint32_t input : import.nodes[i]->inputs)
            if (const std::uint32_t maker = import.value(input)->producer; maker != no_id)
                REQUIRE(import.node(maker)->id < import.nodes[i]->id);
}

TEST_CASE("dynamic dimensions count as 1 until they are named") {
    const SnapshotPtr snapshot = view("mlp/mlp.onnx");
    REQUIRE(snapshot->totals.assumed == std::vector<std::string>{"batch"});
    const GraphNode& node = *snapshot->graphs[0]->nodes[0];
    REQUIRE((!node.flops && node.least_seconds > 0));
    REQUIRE((snapshot->totals.flops > 0 && !snapshot->arena_bytes));

    ModelViewRequest request = request_for("mlp/mlp.onnx");
    request.dims = {{"batch", 64}};
    const SnapshotPtr named = view_model(request);
    REQUIRE((named->totals.assumed.empty() && named->graphs[0]->nodes[0]->flops && named->arena_bytes));
    REQUIRE(named->totals.flops == 64 * snapshot->totals.flops);
}

TEST_CASE("scripts add operators that the model names") {
    REQUIRE(view("custom/custom.onnx")->status == Status::UserMistake);
    ModelViewRequest request = request_for("custom/custom.onnx");
    request.with = {std::string(HIDET_SOURCE_FOLDER) + "/samples/models/custom_operator.py"};
    const SnapshotPtr snapshot = view_model(request);
    REQUIRE(first_message(*snapshot) == "");
    REQUIRE((snapshot->phase == ModelPhase::Planned && snapshot->graphs[0]->nodes.size() >= 4));
}

TEST_CASE("every operator has a family, and every family an operator") {
    std::set<std::string> ids;
    for (std::size_t i = 0; i < family_count; ++i) {
        ids.insert(id_of(static_cast<OpFamily>(i)));
        REQUIRE(*title_of(static_cast<OpFamily>(i)) != '\0');
    }
    REQUIRE(ids.size() == family_count);
    std::set<OpFamily> used;
    for (const graph::OpInfo* op : graph::all_ops())
        used.insert(family_of(op->id));
    REQUIRE(used.size() == family_count);
    REQUIRE((family_of(graph::OpId::Matmul) == OpFamily::MatrixProduct &&
             family_of(graph::OpId::LSTM) == OpFamily::Recurrent));
    REQUIRE((family_of(graph::OpId::Relu) == OpFamily::Activation && family_of(graph::OpId::None) == OpFamily::Other));
}

// ---- kernels, memory -----------------------------------------------------------------------------------------------------

TEST_CASE("kernels have nodes and names, blockers stand between them") {
    const SnapshotPtr snapshot = view("residual/residual.onnx");
    const ModelGraph& last = *snapshot->last();
    REQUIRE(last.kernels.size() == 4u);
    REQUIRE(last.kernels[1].names[0] == "conv2d_add_add_relu");
    REQUIRE(last.kernels[2].names.size() == 2u);
    for (std::uint32_t i = 0; i < last.kernels.size(); ++i)
        for (const std::uint32_t node : last.kernels[i].nodes)
            REQUIRE(last.kernel_of(node) == i);
    REQUIRE(snapshot->graphs[0]->kernel_of(last.kernels[0].anchor) == no_id);
    REQUIRE(!last.blockers.empty());
    for (const GraphBlocker& blocker : last.blockers) {
        REQUIRE((last.node(blocker.producer) && last.node(blocker.consumer) && last.value(blocker.value)));
        REQUIRE((!blocker.reason.empty() && !blocker.condition.empty()));
        REQUIRE(blocker.text.ends_with(": " + blocker.condition));
        const bool is_one = last.kernel_of(blocker.producer) == last.kernel_of(blocker.consumer);
        REQUIRE(is_one == blocker.is_within);
    }
    REQUIRE((snapshot->totals.nodes == last.nodes.size() && snapshot->totals.kernels == 4));
    REQUIRE(snapshot->totals.launches == 5u);
    REQUIRE(snapshot->roofs.flops > 0);
}

TEST_CASE("memory rows do not overlap in time and space") {
    const SnapshotPtr snapshot = view("residual/residual.onnx");
    std::vector<MemoryRow> arena;
    for (const MemoryRow& row : snapshot->memory) {
        REQUIRE((row.bytes && row.first_step <= row.last_step && row.last_step < snapshot->steps.size()));
        if (row.offset)
            arena.push_back(row);
    }
    REQUIRE((arena.size() >= 3 && snapshot->weight_bytes.value() > 0));
    for (const MemoryRow& a : arena) {
        REQUIRE(*a.offset + *a.bytes <= snapshot->arena_bytes.value());
        for (const MemoryRow& b : arena) {
            const bool in_time = a.first_step <= b.last_step && b.first_step <= a.last_step;
            const bool in_space = *a.offset < *b.offset + *b.bytes && *b.offset < *a.offset + *a.bytes;
            REQUIRE((&a == &b || !in_time || !in_space));
        }
    }
    REQUIRE(snapshot->arena_bound.value() <= snapshot->arena_bytes.value());
    REQUIRE(snapshot->steps.size() == 4u);
    REQUIRE((snapshot->steps[2].kernel == 2 && snapshot->steps[2].least_seconds > 0));
}

// ---- choices -------------------------------------------------------------------------------------------------------------

TEST_CASE("a choice that forbids a fusion changes kernels and totals") {
    const SnapshotPtr before = view("residual/residual.onnx");
    ModelViewRequest request = request_for("residual/residual.onnx");
    request.choices_text = R"({"format": "hidet-choices", "version": 1,
"fusion": [
{"producer": "fc", "consumer": "y", "fuse": false}
]})";
    const SnapshotPtr after = view_model(request);
    REQUIRE(first_message(*after) == "");
    REQUIRE(after->choices == request.choices_text);
    REQUIRE(after->last()->kernels.size() == before->last()->kernels.size() + 1);
    REQUIRE((after->totals.launches > before->totals.launches && after->totals.seconds > before->totals.seconds));
    REQUIRE(std::ranges::any_of(after->last()->blockers,
                                [](const GraphBlocker& blocker) { return blocker.reason == "forbidden"; }));
}

TEST_CASE("broken choices are a diagnostic with a place") {
    ModelViewRequest request = request_for("residual/residual.onnx");
    request.choices_text = "{\n\"format\": ";
    const SnapshotPtr broken = view_model(request);
    REQUIRE((broken->status == Status::UserMistake && broken->is_complete && broken->graphs.size() == 1));
    REQUIRE(broken->diagnostics.size() == 1u);
    REQUIRE((broken->diagnostics[0].place.file == "choices" && broken->diagnostics[0].place.line == 2));

    request.choices_text = R"({"format": "hidet-choices", "version": 1,
"rewrites": [
{"node": "bn1", "rule": "no-such-rule", "apply": false}
]})";
    const SnapshotPtr wrong = view_model(request);
    REQUIRE((wrong->status == Status::UserMistake && wrong->diagnostics[0].place.line == 3));
    REQUIRE((wrong->last()->kernels.size() == 4 && wrong->steps.empty())); // what can be shown is
}

// ---- boxes, constants, texts ---------------------------------------------------------------------------------------------

TEST_CASE("boxes are grouped by kernel in the last graph alone") {
    const SnapshotPtr snapshot = view("residual/residual.onnx");
    const ModelGraph& last = *snapshot->last();
    const auto boxes = last.boxes({false, false, true});
    REQUIRE(boxes->boxes.size() == boxes->drawn.nodes.size());
    REQUIRE(boxes->groups.size() == boxes->drawn.groups.size());
    REQUIRE(boxes->groups[0].boxes == last.nodes.size());
    for (std::size_t i = 1; i < boxes->groups.size(); ++i) {
        const GraphBoxGroup& group = boxes->groups[i];
        REQUIRE((group.kind == BoxGroupKind::Kernel && group.boxes == last.kernels[group.kernel].nodes.size()));
    }
    REQUIRE(boxes->groups.size() == 5u);
    for (const auto& node : last.nodes)
        REQUIRE(boxes->boxes[boxes->box_of_node.at(node->id)].node == node->id);
    REQUIRE(snapshot->graphs[0]->boxes({false, false, true})->groups.size() == 1u); // no kernels yet
    const GraphBox& conv = boxes->boxes[boxes->box_of_node.at(node_named(last, "conv2").id)];
    REQUIRE((!conv.chips.empty() || conv.label == "Add"));
}

TEST_CASE("constants have facts and a picture") {
    const SnapshotPtr snapshot = view("residual/residual.onnx");
    const ModelGraph& import = *snapshot->graphs[0];
    const auto weight = picture_of_constant(import, value_named(import, "conv1.w").id);
    REQUIRE((weight && weight->rows == 8 && weight->columns == 27 && weight->cells.size() == 8 * 27));
    REQUIRE((weight->count == 8 * 27 && weight->least < weight->greatest && weight->deviation > 0));
    REQUIRE(weight->shape == "[8, 3, 3, 3]");
    const auto list = picture_of_constant(import, value_named(import, "fc.b").id);
    REQUIRE((list && list->rows == 1 && list->columns == 5));
    REQUIRE((!picture_of_constant(import, value_named(import, "x").id) && !picture_of_constant(import, no_id)));
}

// A model with one constant, in a file of its own.
SnapshotPtr view_with(const lang::TensorRef& constant) {
    graph::Graph model;
    const graph::ValueId x = model.add_input("x", {constant->dtype, graph::shape_of(constant->shape)});
    const graph::ValueId c = model.add_constant(constant, "c");
    model.set_outputs({model.add_one(graph::op_info::Equal(), {x, c})});
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "hidet-constant-of-view-test.json";
    std::ofstream(file) << graph::write_document({model});
    ModelViewRequest request = request_for("");
    request.path = file.string();
    request.plans = false;
    const SnapshotPtr snapshot = view_model(request);
    std::filesystem::remove(file);
    return snapshot;
}

TEST_CASE("constants of every type have pictures") {
    using ir::DType;
    for (const DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
        const SnapshotPtr snapshot = view_with(graph::tensor_of(dtype, {2, 3}, {0, 1, 2, 3, 4, 8}));
        REQUIRE(first_message(*snapshot) == "");
        const auto picture = picture_of_constant(*snapshot->last(), value_named(*snapshot->last(), "c").id);
        REQUIRE((picture && picture->rows == 2 && picture->columns == 3 && picture->cells[5] == 8));
        REQUIRE((picture->mean == 3 && picture->zeros == 1 && picture->histogram.size() == 16));
    }
    for (const DType dtype : {DType::Bool, DType::U8, DType::I8, DType::I64}) {
        const SnapshotPtr snapshot = view_with(graph::tensor_of(dtype, {4}, {1, 0, 1, 1}));
        REQUIRE(first_message(*snapshot) == "");
        const auto picture = picture_of_constant(*snapshot->last(), value_named(*snapshot->last(), "c").id);
        REQUIRE((picture && picture->rows == 1 && picture->columns == 4 && picture->cells[1] == 0));
        REQUIRE(picture->mean == 0.75);
    }
    const SnapshotPtr odd = view_with(graph::tensor_of(DType::F32, {3}, {NAN, INFINITY, 2}));
    const auto picture = picture_of_constant(*odd->last(), value_named(*odd->last(), "c").id);
    REQUIRE((picture && picture->not_finite == 2 && picture->mean == 2 && std::isnan(picture->cells[0])));
    const SnapshotPtr scalar = view_with(graph::tensor_of(DType::F32, {}, {7}));
    REQUIRE(value_named(*scalar->last(), "c").contents == "7.0");
    REQUIRE(picture_of_constant(*scalar->last(), value_named(*scalar->last(), "c").id)->cells.size() == 1u);
    const SnapshotPtr large = view_with(graph::tensor_of(DType::F32, {100, 300}, std::vector<double>(30000, 0.5)));
    const auto parts = picture_of_constant(*large->last(), value_named(*large->last(), "c").id);
    REQUIRE((parts && parts->rows == 64 && parts->columns == 64 && parts->cells.size() == 64 * 64));
}

TEST_CASE("lines of printed graphs and of their difference lead to nodes") {
    const SnapshotPtr snapshot = view("residual/residual.onnx");
    const ModelGraph& import = *snapshot->graphs[0];
    const GraphText& text = import.printed();
    REQUIRE(static_cast<std::size_t>(std::ranges::count(text.text, '\n')) == text.nodes.size());
    std::vector<std::uint32_t> nodes;
    std::ranges::copy_if(text.nodes, std::back_inserter(nodes), [](std::uint32_t node) { return node != no_id; });
    REQUIRE(nodes.size() == import.nodes.size());
    const auto found = diff_graphs(import, graph_after(*snapshot, "subgraph-rewrite"));
    REQUIRE((found && found->removed > found->added)); // an operator and its constant
    const auto removed = std::ranges::find(found->rows, node_named(import, "bn1").id, &GraphDiffRow::left_node);
    REQUIRE((removed != found->rows.end() && removed->kind == RowKind::Removed && removed->right_node == no_id));
    const auto is_changed = [](const GraphDiffRow& row) { return row.kind == RowKind::Changed; };
    REQUIRE(std::ranges::any_of(found->rows, is_changed)); // the weight that took the scale
    REQUIRE(diff_graphs(import, import)->removed == 0);
}

// ---- search --------------------------------------------------------------------------------------------------------------

TEST_CASE("operators are found by words and fields") {
    const SnapshotPtr snapshot = view("residual/residual.onnx");
    const ModelGraph& import = *snapshot->graphs[0];
    const auto count = [&](std::string_view query) { return find_nodes(import, query).nodes.size(); };
    REQUIRE(count("RELU") == 2u);
    REQUIRE(count("op:conv") == 2u);
    REQUIRE(count("op:conv name:conv2") == 1u);
    REQUIRE(count("family:activation") == 2u);
    REQUIRE(count("family:\"matrix product\"") == 1u);
    REQUIRE(count("shape:3x16") == 1u);
    REQUIRE(count("shape:6x16") == 0u);
    REQUIRE(count("shape:\"[1, 3,\"") == 1u);
    REQUIRE(count("shape:8x3x") == 2u);
    REQUIRE(count("dtype:float32") == import.nodes.size());
    REQUIRE(count("dtype:f16") == 0u);
    REQUIRE(count("value:fc.w") == 1u);
    REQUIRE(count("key:conv1") == 1u);
    REQUIRE(count("op:") == import.nodes.size());
    REQUIRE(count("  ") == 0u);
    REQUIRE(count("\"relu") == 2u);
    REQUIRE(count("onnx::relu") == 0u);
    REQUIRE(find_nodes(import, "onnx::relu").mistake == "");
    REQUIRE(find_nodes(import, "colour:red").mistake.starts_with("there is no field 'colour'"));
    REQUIRE(count("\"colour:red\"") == 0u);
    REQUIRE(find_nodes(import, "family:cats").mistake.starts_with("there is no family 'cats'"));
    REQUIRE(find_nodes(graph_after(*snapshot, "subgraph-rewrite"), "rule:scale").nodes.size() == 1u);
    REQUIRE(count("op:conv attr:stride") == 2u);
    REQUIRE(count("attr:nothing") == 0u);
    const GraphKernel& kernel = snapshot->last()->kernels.front();
    REQUIRE(find_nodes(*snapshot->last(), "kernel:" + kernel.names.front()).nodes.size() >= kernel.nodes.size());
    REQUIRE(count("kernel:" + kernel.names.front()) == 0u); // none are formed yet
}

TEST_CASE("expressions take the place of parts of names, of every field") {
    const SnapshotPtr snapshot = view("residual/residual.onnx");
    const ModelGraph& import = *snapshot->graphs[0];
    // "^x": begins with x; "(" is none; anything else is the whole text.
    const ExpressionReader read = [](std::string_view expression) -> Result<TextTest> {
        if (expression == "(")
            return Error{"wrong-usage", "a group is not closed"};
        return TextTest([wanted = std::string(expression)](std::string_view text) {
            return wanted.starts_with('^') ? text.starts_with(wanted.substr(1)) : text == wanted;
        });
    };
    const auto count = [&](std::string_view query) {
        return find_nodes_by_expression(import, query, read).nodes.size();
    };
    REQUIRE(count("name:^conv") == 3u); // conv2 has its sum as well
    REQUIRE(count("name:conv") == 0u);
    REQUIRE(count("name:conv2") == 2u);
    REQUIRE(count("dtype:float32") == import.nodes.size());
    REQUIRE(count("dtype:float") == 0u);
    REQUIRE(count("shape:\"^[1, 3, 16\"") == 1u);
    REQUIRE(count("family:^activ name:^relu") == 2u);
    const NodeSearch wrong = find_nodes_by_expression(import, "name:^conv (", read);
    REQUIRE(wrong.nodes.empty());
    REQUIRE(wrong.mistake == "a group is not closed of '('");
    const std::atomic<bool> stopped = true;
    REQUIRE(find_nodes_by_expression(import, "name:^conv", read, &stopped).nodes.empty());
}

} // namespace
