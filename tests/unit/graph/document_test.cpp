// SPDX-License-Identifier: Apache-2.0
// The graph as data: reading back, damaged documents, choices.
#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <string_view>

#include "compiler/graph/document/choices.h"
#include "compiler/graph/document/constants.h"
#include "compiler/graph/document/costs.h"
#include "compiler/graph/document/document.h"
#include "compiler/graph/names/keys.h"
#include "compiler/graph/text/print_graph.h"
#include "lang/tensor/elements.h"
#include "tests/unit/graph/read_graph.h"

using namespace hidet;
using namespace hidet::graph;

namespace {

constexpr const char* model = R"(Graph(x: float32[batch, 4][cpu], i: int64[2][cpu]){
  w = Constant(float32[4, 2][cpu])
  odd = Constant(float32[3][cpu])  # [nan, inf, -inf]
  m = Matmul(x, w)
  c = Clip(m, min_val=-inf, max_val=6.0)
  r = Reshape(c, shape=[batch * 2])
  k = Cast(i, dtype=float16)
  o = Relu(odd)
  return r, k, o
})";

Graph graph_of_model() {
    return read_graph(model);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

std::string complaint_about(const std::string& text) {
    const Result<Graph> read = read_document(text);
    return read ? std::string() : read.error().message;
}

} // namespace

TEST_CASE("what is read back writes the same document") {
    const Graph graph = graph_of_model();
    const std::string text = write_document({graph});
    const Result<Graph> read = read_document(text);
    REQUIRE((read ? "" : read.error().message) == "");
    REQUIRE(write_document({read.value()}) == text);
    REQUIRE(print_graph(read.value()) == print_graph(graph));
}

TEST_CASE("what a script calls an input is read back, and is part of no key") {
    Graph graph = graph_of_model();
    for (const ValueId input : graph.inputs)
        graph.value(input).name.clear();
    Graph called = graph;
    called.value(called.inputs[0]).called = "queries";
    REQUIRE(NodeKeys(called).all() == NodeKeys(graph).all());
    REQUIRE(print_graph(called).starts_with("Graph(queries: "));
    const Result<Graph> read = read_document(write_document({called}));
    REQUIRE((read ? "" : read.error().message) == "");
    REQUIRE(read.value().value(read.value().inputs[0]).shown_name() == "queries");
}

TEST_CASE("nodes stand in the lines that they came from") {
    Graph graph = graph_of_model();
    SourceMap sources, others;
    const FileId file = sources.add("/models/net.py", "import torch\n\nx = conv(x)\n");
    const NodeId first = graph.topological().front();
    graph.node(first).site = {file, 15, 22};
    const std::string text = write_document({.graph = graph, .sources = &sources});
    const Result<Graph> read = read_document(text, {}, DocumentGraph::Final, &others);
    REQUIRE((read ? "" : read.error().message) == "");
    const Span site = read.value().node(first).site;
    REQUIRE((others.holds(site) && others.file(site.file).name() == "/models/net.py"));
    REQUIRE(others.file(site.file).position(site.begin).line == 3);
    REQUIRE(write_document({.graph = read.value(), .sources = &others}) == text);
    REQUIRE(write_document({graph}).find("net.py") == std::string::npos);
    REQUIRE(!read_document(text).value().node(first).site.known());
    for (const char* wrong : {"0", "-1", "2000000", "\"3\"", "9223372036854775808"}) {
        std::string broken = text;
        broken.replace(broken.find("\"line\":3"), 8, std::string("\"line\":") + wrong);
        REQUIRE(!read_document(broken, {}, DocumentGraph::Final, &others));
    }
}

TEST_CASE("ids stay when slots are empty") {
    Graph graph = graph_of_model();
    optimise(graph, {});
    const std::string text = write_document({graph});
    const Result<Graph> read = read_document(text);
    REQUIRE((read ? "" : read.error().message) == "");
    REQUIRE(write_document({read.value()}) == text);
}

TEST_CASE("the model as it was imported reads back too") {
    Graph graph = graph_of_model();
    GraphRecorder recorder(graph);
    const Graph imported = graph;
    const Optimised optimised = optimise(graph, {}, {&recorder});
    const Result<Graph> read =
        read_document(write_document({graph, &recorder, &optimised, {{"times", "[1]"}}}), {}, DocumentGraph::Imported);
    REQUIRE((read ? "" : read.error().message) == "");
    REQUIRE(print_graph(read.value()) == print_graph(imported));
}

TEST_CASE("large weights come from who reads") {
    Graph graph;
    const ValueId x = graph.add_input("x", {ir::DType::F32, shape_of({100})});
    const lang::TensorRef data = made_up_tensor(ir::DType::F32, {100}, "w");
    graph.set_outputs({graph.add_one(*find_op("Add"), {x, graph.add_constant(data, "w")})});
    const std::string text = write_document({graph});
    const Result<Graph> without = read_document(text);
    REQUIRE((without.ok() && without.value().value(ValueId{1}).is_constant()));
    REQUIRE(!without.value().value(ValueId{1}).data->has_data());
    const Result<Graph> with = read_document(text, [&](const std::string&, const TensorSpec&) { return data; });
    REQUIRE(write_document({with.value()}) == text);
}

TEST_CASE("a damaged document is refused with what is wrong") {
    const std::string text = write_document({graph_of_model()});
    REQUIRE(complaint_about("{").starts_with("the graph document is broken: "));
    REQUIRE(complaint_about("[]").ends_with("its format is not \"hidet-graph\""));
    REQUIRE(complaint_about(replaced(text, "\"op\":\"Matmul\"", "\"op\":\"Magic\""))
                .ends_with("there is no operator 'Magic'"));
    REQUIRE(complaint_about(replaced(text, "\"inputs\":[0,2]", "\"inputs\":[0,99]"))
                .ends_with("there is nothing with the id 99"));
    REQUIRE(complaint_about(replaced(text, "\"id\":0,\"name\"", "\"id\":4000000000,\"name\""))
                .ends_with("an id is too large: 4000000000"));
    REQUIRE(
        complaint_about(replaced(text, "[\"batch\",4]", "[\"batch +\",4]")).ends_with("'batch +' is not a dimension"));
    REQUIRE(complaint_about(replaced(text, "[\"batch\",2]", "[\"batch\",3]"))
                .find("makes float32[batch, 2], not float32[batch, 3]") != std::string::npos);
    REQUIRE(complaint_about(replaced(text, "\"outputs\":[4]", "\"outputs\":[5]")).find("maker") != std::string::npos);
    REQUIRE(complaint_about(replaced(text, "\"elements\":[", "\"elements\":[1,"))
                .ends_with("not as many elements as its shape says"));
}

TEST_CASE("what a node of a document makes is what its operator makes") {
    const auto document = [](const std::string& node, const std::string& made) {
        return R"({"format": "hidet-graph", "version": 1, "graph": {"inputs": [0, 1], "outputs": [2], "values": [)"
               R"({"id": 0, "dtype": "float32", "shape": [4, "n"]}, {"id": 1, "dtype": "bool", "shape": []}, )" +
               made + R"(], "nodes": [{"id": 0, "inputs": [0], "outputs": [2], )" + node + "}]}}";
    };
    const std::string f32 = R"({"id": 2, "dtype": "float32", "shape": [4, "n"]})";
    REQUIRE(complaint_about(document(R"("op": "Relu")", f32)).empty());
    REQUIRE(complaint_about(document(R"("op": "Cast")", f32)).ends_with("Cast wants the attribute 'dtype'"));
    REQUIRE(complaint_about(document(R"("op": "Cast", "attributes": {"dtype": {"dtype": "float16"}})", f32))
                .ends_with("a Cast makes float16[4, n], not float32[4, n]"));
    const std::string places = R"({"id": 2, "dtype": "int64", "shape": [2, "found"]})";
    REQUIRE(complaint_about(document(R"("op": "NonZero")", places)).empty());
    REQUIRE(complaint_about(document(R"("op": "NonZero")", f32)).find("a NonZero makes int64[2, ") !=
            std::string::npos);
    REQUIRE(
        complaint_about(document(R"("op": "TopK", "attributes": {"k": 1})", f32)).ends_with("a TopK has 2 outputs"));
    REQUIRE(complaint_about(document(R"("op": "Relu", "replaces": [4000000000])", f32))
                .ends_with("an id is too large: 4000000000"));
    const auto complex = R"({"id": 2, "dtype": "complex64", "shape": [4]})";
    REQUIRE(complaint_about(document(R"("op": "Relu")", complex)).ends_with("there are no tensors of complex64"));
    REQUIRE(complaint_about(document(R"("op": "OnnxIf", "attributes": {"dtypes": {"texts": ["float32"]}})", f32))
                .ends_with("OnnxIf wants the attribute 'then_branch'"));
    REQUIRE(complaint_about(document(R"("op": "OnnxNode", "attributes": {"op": "Relu", "opset": 17,
        "present": {"ints": [1, 1]}, "dtypes": {"texts": ["float32"]}})",
                                     f32))
                .find("OnnxNode: there is no operator 'Relu' of 1 operands") != std::string::npos);
}

TEST_CASE("what a loop asks is a condition") {
    const std::string text =
        R"({"format": "hidet-graph", "version": 1, "graph": {"name": "g", "inputs": [0, 1], "outputs": [2],
        "values": [{"id": 0, "name": "n", "dtype": "int64", "shape": []}, {"id": 1, "name": "x", "dtype": "float32", "shape": [1]},
            {"id": 2, "name": "s", "dtype": "float32", "shape": ["extent_0"]}],
        "nodes": [{"id": 0, "key": "s", "op": "OnnxLoop", "inputs": [0, 1, 1], "outputs": [2], "attributes": {
            "body": {"graph": {"name": "", "inputs": [0, 1, 2, 3], "outputs": [1, 4],
                "values": [{"id": 0, "name": "i", "dtype": "int64", "shape": []}, {"id": 1, "name": "k", "dtype": "bool", "shape": []},
                    {"id": 2, "name": "a", "dtype": "float32", "shape": ["carried0_0"]},
                    {"id": 3, "name": "x", "dtype": "float32", "shape": [1]},
                    {"id": 4, "name": "a2", "dtype": "float32", "shape": ["carried0_0 + 1"]}],
                "nodes": [{"id": 0, "key": "a2", "op": "Concat", "inputs": [2, 3], "outputs": [4], "attributes": {"axis": 0}}]}},
            "has": {"ints": [1, 0]}, "carried": 1, "shape0": {"shape": [-1]}, "dtypes": {"texts": ["float32"]}}}]}})";
    REQUIRE(complaint_about(text) == "");
    REQUIRE(complaint_about(replaced(text, "\"ints\": [1, 0]", "\"ints\": [0, 1]")).find("OnnxLoop asks int64") !=
            std::string::npos);
}

TEST_CASE("names in messages about documents are short and printable") {
    const std::string name = "\\u202e" + std::string(5000, 'x') + "\x1b[31m";
    const std::string text =
        replaced(write_document({graph_of_model()}), "\"op\":\"Matmul\"", "\"op\":\"" + name + "\"");
    const std::string complaint = complaint_about(text);
    REQUIRE(complaint.size() <= 300u);
    REQUIRE(complaint.find('\x1b') == std::string::npos);
}

TEST_CASE("every truncation of a document is refused or reads") {
    const std::string text = write_document({graph_of_model()});
    for (std::size_t size = 0; size < text.size() - 2; size += 7)
        REQUIRE(!complaint_about(text.substr(0, size)).empty());
}

TEST_CASE("choices are written and read back") {
    Choices choices;
    choices.fusion = {{"a", "b \"quoted\"", true}};
    choices.rewrites = {{"c", "scale-sum", false}};
    choices.precisions = {{"d", "float32", true}};
    choices.templates = {{"e", "matmul", true}};
    choices.off = {"cse"};
    const std::string text = write_choices(choices);
    const Result<Choices> read = read_choices(text);
    REQUIRE((read ? "" : read.error().message) == "");
    REQUIRE(write_choices(read.value()) == text);
    REQUIRE(read_choices("{\"format\": \"hidet-choices\", \"fusions\": []}").error().message ==
            "the choices file is broken: there are no choices called 'fusions'");
}

TEST_CASE("constants are described by what is finite in them") {
    lang::TensorRef tensor = made_up_tensor(ir::DType::F32, {6}, "w");
    lang::write_doubles(*tensor, {NAN, 0, 4, 2, -2, HUGE_VAL});
    const ConstantFacts facts = facts_of(*tensor);
    REQUIRE(facts.count == 6);
    REQUIRE(facts.not_finite == 2);
    REQUIRE(facts.zeros == 1);
    REQUIRE(facts.least == -2.0);
    REQUIRE(facts.greatest == 4.0);
    REQUIRE(facts.mean == 1.0);
    REQUIRE(facts.deviation == std::sqrt(5.0));
    REQUIRE(facts.histogram[0] + facts.histogram[5] + facts.histogram[10] + facts.histogram[15] == 4);
}

TEST_CASE("of a large constant a part is looked at, spread over all of it") {
    const std::int64_t count = 3 * most_looked_at;
    lang::TensorRef tensor = made_up_tensor(ir::DType::I32, {count}, "w");
    lang::Integers numbers(static_cast<std::size_t>(count), 1);
    numbers[0] = 7;
    lang::write_integers(*tensor, numbers);
    const ConstantFacts facts = facts_of(*tensor);
    REQUIRE(facts.looked_at == most_looked_at);
    REQUIRE(facts.greatest == 7.0);
}

TEST_CASE("what operators of a kernel hand to each other costs no memory") {
    Graph graph;
    const ValueId x = graph.add_input("x", {ir::DType::F32, shape_of({10})});
    const ValueId a = graph.add_one(*find_op("Exp"), {x});
    const ValueId b = graph.add_one(*find_op("Add"), {a, x});
    graph.set_outputs({b});
    const NodeId first = graph.value(a).producer, second = graph.value(b).producer;
    const NodeCost apart = cost_of(graph, Group{second, {second}, {Role::Anchor}});
    const NodeCost together = cost_of(graph, Group{second, {first, second}, {Role::Prologue, Role::Anchor}});
    REQUIRE(constant_of(apart.bytes).value() == 120);
    REQUIRE(constant_of(together.bytes).value() == 80);
    REQUIRE(constant_of(together.flops).value() == 20);
}

TEST_CASE("a tensor whose size is a symbol is read whole, whoever reads parts of it first") {
    Graph graph;
    const ValueId x = graph.add_input("x", {ir::DType::F32, {symbol_dim("n")}});
    std::vector<NodeId> nodes;
    std::vector<ValueId> results;
    const auto add = [&](const OpInfo& op, const std::vector<ValueId>& inputs) {
        results.push_back(graph.add_one(op, inputs));
        nodes.push_back(graph.value(results.back()).producer);
    };
    for (const std::int64_t count : {2, 5})
        add(op_info::Take(), {x, graph.add_input("places", {ir::DType::I64, shape_of({count})})});
    add(op_info::Relu(), {x});
    graph.set_outputs(results);
    std::ranges::sort(nodes);
    do {
        const Group group{nodes[0], nodes, std::vector<Role>(nodes.size(), Role::Anchor)};
        CHECK(text_of(cost_of(graph, group).bytes) ==
              "n * 8 + 84"); // x, what Relu makes of it, seven places and their elements
    } while (std::ranges::next_permutation(nodes).found);
}

TEST_CASE("every value of a JSON text is found") {
    const std::string text = R"({"a": [1, {"b\"c": [true, "x]"]}, -2.5e3], "d" : {"e":null}})";
    const auto at = [&](const std::vector<JsonStep>& path) {
        const auto place = place_in_json(text, path);
        return place ? text.substr(place->first, place->second - place->first) : "nothing";
    };
    REQUIRE(at({}) == text);
    REQUIRE(at({"a", 0u}) == "1");
    REQUIRE(at({"a", 1u, "b\\\"c", 1u}) == "\"x]\"");
    REQUIRE(at({"a", 1u, "b\\\"c", 0u}) == "true");
    REQUIRE(at({"a", 2u}) == "-2.5e3");
    REQUIRE(at({"a", 3u}) == "nothing");
    REQUIRE(at({"d", "e"}) == "null");
    REQUIRE(at({"d"}) == "{\"e\":null}");
    REQUIRE(at({"f"}) == "nothing");
}

TEST_CASE("choices reach the passes, and keys that match nothing are reported") {
    Graph graph = graph_of_model();
    Choices choices;
    choices.fusion = {{"m", "c", false}, {"m", "nowhere", true}};
    choices.precisions = {{"m", "float16", true}};
    GraphOptions options;
    apply_choices(choices, options);
    ChoiceWatch watch(choices, options, graph);
    const Optimised optimised = optimise(graph, options, {&watch});
    const std::vector<ChoiceProblem> problems = watch.problems(optimised);
    REQUIRE(problems.size() == 1u);
    REQUIRE(problems[0].text == "the model has no operator 'nowhere'");
    const std::string text = write_choices(choices);
    const TextRange place = problems[0].place_in(text);
    REQUIRE(text.substr(place.first, place.second - place.first) == "\"nowhere\"");
    for (NodeId node : graph.topological())
        if (std::string_view(graph.node(node).op->name) == "Matmul")
            REQUIRE(graph.value(graph.node(node).outputs[0]).spec.dtype == ir::DType::F16);
}
