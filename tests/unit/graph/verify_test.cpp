// SPDX-License-Identifier: Apache-2.0
// Each rule of the graph's verifier and of the partition's, broken once; well-formed graphs pass.
#include "compiler/graph/core/verify.h"

#include <doctest/doctest.h>
#include <functional>
#include <string>

#include "compiler/graph/core/data.h"
#include "compiler/graph/fuse/verify_partition.h"
#include "compiler/graph/passes/rewrite.h"
#include "lang/base/check.h"
#include "lang/base/text.h"

using namespace hidet;
using namespace hidet::graph;

namespace {

// y = softmax(relu(x) + w), and what its ids are.
struct Sample {
    Graph graph;
    ValueId x, w, active, sum, y;
    NodeId relu, add, softmax;

    Sample() {
        x = graph.add_input("x", {ir::DType::F32, shape_of({2, 3})});
        w = graph.add_constant(tensor_of(ir::DType::F32, {3}, {1, 2, 3}), "w");
        active = graph.add_one(op_info::Relu(), {x});
        sum = graph.add_one(op_info::Add(), {active, w});
        y = graph.add_one(op_info::Softmax(), {sum}, {{"axis", std::int64_t{1}}});
        relu = graph.value(active).producer;
        add = graph.value(sum).producer;
        softmax = graph.value(y).producer;
        graph.value(y).name = std::string("y"); // GCC 12 warns of an assignment from the literal
        graph.set_outputs({y});
    }
};

std::string first_of(const std::vector<std::string>& violations) {
    return violations.empty() ? "" : violations.front();
}

void refuses(const std::string& sentence, const std::function<void(Sample&)>& damage) {
    Sample sample;
    damage(sample);
    REQUIRE(first_of(verify(sample.graph, VerifyDefinitions::Yes)) == sentence);
}

} // namespace

TEST_CASE("a graph that was made by its functions is well formed") {
    Sample sample;
    REQUIRE(join(verify(sample.graph, VerifyDefinitions::Yes), "\n") == "");
    sample.graph.set_outputs({sample.sum});
    sample.graph.drop_unused();
    REQUIRE(join(verify(sample.graph, VerifyDefinitions::Yes), "\n") == "");
    REQUIRE(verify(Graph()).empty());
}

TEST_CASE("ids that are none") {
    refuses("node 1 (Add): operand 0 is no value", [](Sample& s) { s.graph.node(s.add).inputs[0] = {99}; });
    refuses("node 1 (Add): result 0 is no value", [](Sample& s) { s.graph.node(s.add).outputs[0] = {99}; });
    refuses("inputs: there is no value 99", [](Sample& s) { s.graph.inputs.push_back({99}); });
    refuses("node 2 (Softmax): it replaces a node 99 that never was",
            [](Sample& s) { s.graph.node(s.softmax).replaces = {NodeId{99}}; });
}

TEST_CASE("one maker for each value") {
    refuses("value 2: it is made more than once", [](Sample& s) { s.graph.inputs.push_back(s.active); });
    refuses("value 1 'w': it is made more than once", [](Sample& s) { s.graph.inputs.push_back(s.w); });
    refuses("value 3: it is made more than once", [](Sample& s) { s.graph.node(s.relu).outputs.push_back(s.sum); });
    refuses("value 0 'x': it is read, and nothing makes it", [](Sample& s) { s.graph.inputs.clear(); });
    refuses("value 1 'w': it is read, and nothing makes it", [](Sample& s) { s.graph.value(s.w).data = nullptr; });
    refuses("value 2: its producer is another node", [](Sample& s) { s.graph.value(s.active).producer = s.add; });
    refuses("value 2: its producer is another node", [](Sample& s) { s.graph.value(s.active).output = 1; });
    refuses("value 0 'x': it is made by no node, and has a producer",
            [](Sample& s) { s.graph.value(s.x).producer = s.relu; });
    refuses("node 0 (Relu): it makes nothing", [](Sample& s) { s.graph.node(s.relu).outputs.clear(); });
}

TEST_CASE("uses are what nodes read") {
    refuses("value 2: its list of uses is not what nodes read",
            [](Sample& s) { s.graph.value(s.active).uses.clear(); });
    refuses("value 0 'x': its list of uses is not what nodes read", [](Sample& s) {
        s.graph.value(s.x).uses.push_back({s.softmax, 0});
    });
    refuses("value 0 'x': its list of uses is not what nodes read",
            [](Sample& s) { s.graph.node(s.softmax).inputs[0] = s.x; });
}

TEST_CASE("shapes and types") {
    refuses("value 0 'x': an extent is negative", [](Sample& s) { s.graph.value(s.x).spec.shape[0] = dim(-2); });
    refuses("value 0 'x': an extent is no i64", [](Sample& s) { s.graph.value(s.x).spec.shape[0] = nullptr; });
    refuses("node 0 (Relu): operand 0 is float32[2, 4], and it is defined on float32[2, 3]",
            [](Sample& s) { s.graph.value(s.x).spec.shape[1] = dim(4); });
    refuses("node 0 (Relu): operand 0 is float16[2, 3], and it is defined on float32[2, 3]",
            [](Sample& s) { s.graph.value(s.x).spec.dtype = ir::DType::F16; });
    refuses("node 2 (Softmax): result 0 is int64[2, 3], and it computes float32[2, 3]",
            [](Sample& s) { s.graph.value(s.y).spec.dtype = ir::DType::I64; });
    refuses("node 2 (Softmax): result 0 is float32[2], and it computes float32[2, 3]",
            [](Sample& s) { s.graph.value(s.y).spec.shape.pop_back(); });
}

TEST_CASE("weights are what their values say") {
    refuses("value 1 'w': its data has another type",
            [](Sample& s) { s.graph.value(s.w).data->dtype = ir::DType::I32; });
    refuses("value 1 'w': its data has another shape", [](Sample& s) { s.graph.value(s.w).data->shape = {1, 3}; });
    refuses("value 1 'w': its data is on another device",
            [](Sample& s) { s.graph.value(s.w).data->device = Device::Cuda; });
    refuses("value 1 'w': its data has too few bytes", [](Sample& s) { s.graph.value(s.w).data->offset = 4; });
}

TEST_CASE("operators as their rows say") {
    refuses("node 2 (Softmax): Softmax has no attribute 'axes'",
            [](Sample& s) { s.graph.node(s.softmax).attributes.set("axes", std::int64_t{1}); });
    refuses("node 2 (Softmax): the attribute 'axis' of Softmax is 1.5, which is not of type int",
            [](Sample& s) { s.graph.node(s.softmax).attributes.set("axis", 1.5); });
    refuses("node 2 (Softmax): axis 7 is out of range for 2 dimensions",
            [](Sample& s) { s.graph.node(s.softmax).attributes.set("axis", std::int64_t{7}); });
    refuses("node 1 (LeftShift): LeftShift takes 2 tensors, not 3", [](Sample& s) {
        s.graph.node(s.add).op = &op_info::LeftShift();
        s.graph.node(s.add).inputs.push_back(s.x);
        s.graph.value(s.x).uses.push_back({s.add, 2});
    });
    refuses("node 0 (Relu): it has a compute definition where its operator has none, or lacks one",
            [](Sample& s) { s.graph.node(s.relu).task = nullptr; });
    refuses("node 1 (Add): its compute definition has another number of operands or results",
            [](Sample& s) { s.graph.node(s.add).task = s.graph.node(s.relu).task; });
    refuses("node 2 (ReduceSum): its attributes and operands make other results", [](Sample& s) {
        s.graph.node(s.softmax).op = &op_info::ReduceSum();
        s.graph.node(s.softmax).attributes = {{"dims", Ints{1}}};
    });
    REQUIRE_THROWS_WITH_AS(Sample().graph.add(op_info::TopK(), {{0}}), "TopK wants the attribute 'k'", OpError);
}

TEST_CASE("a refusal shows what a file says as text that is fit to be shown") {
    const std::string said = OpError("resize has no mode '" + std::string(5000, 'x') + "\x1b[31m'").what();
    REQUIRE(said.size() <= 320);
    REQUIRE(said.find("\\x1b") != std::string::npos);
}

TEST_CASE("devices go along") {
    refuses("node 0 (Relu): a result is on the CPU, and an operand on a GPU",
            [](Sample& s) { s.graph.value(s.x).device = Device::Cuda; });
}

TEST_CASE("an order without circles") {
    refuses("graph: nodes depend on each other in a circle", [](Sample& s) { s.graph.set_input(s.relu, 0, s.sum); });
}

namespace {

void refuses_partition(const std::string& sentence, const std::function<void(Partition&)>& damage) {
    const Sample sample;
    Partition parts = partition(sample.graph, {.edges = {}, .enabled = false});
    REQUIRE(first_of(verify(sample.graph, parts)) == "");
    damage(parts);
    REQUIRE(first_of(verify(sample.graph, parts)) == sentence);
}

} // namespace

TEST_CASE("a partition has every operator once its operands are there") {
    REQUIRE(first_of(verify(Sample().graph, partition(Sample().graph))) == "");
    refuses_partition("node 2: no group computes it", [](Partition& parts) { parts.groups.pop_back(); });
    refuses_partition("group 0: node 1 runs before node 0, which it reads",
                      [](Partition& parts) { std::swap(parts.groups[0], parts.groups[1]); });
    refuses_partition("group 0: it has not as many roles as nodes",
                      [](Partition& parts) { parts.groups[0].roles.clear(); });
    refuses_partition("group 0: its anchor is not one of its nodes",
                      [](Partition& parts) { parts.groups[0].anchor = {2}; });
    refuses_partition("group 0: there is no node 99", [](Partition& parts) {
        parts.groups[0].nodes.push_back({99});
        parts.groups[0].roles.push_back(Role::Epilogue);
    });
    refuses_partition("group 0: the roles name another anchor",
                      [](Partition& parts) { parts.groups[0].roles[0] = Role::Prologue; });
    refuses_partition("blockers: a node of an edge is gone", [](Partition& parts) {
        parts.blockers.push_back({{99}, {0}, {0}, {}, ""});
    });
}

namespace {

class Vandal : public UserRule {
public:
    std::string name() const override { return "vandal"; }
    std::vector<OpId> roots() const override { return {OpId::Relu}; }
    bool apply(Rewriting& rewriting, NodeId root) override {
        rewriting.graph.value(rewriting.output(root)).uses.clear();
        return false;
    }
};

} // namespace

TEST_CASE("a pass that breaks a graph is named") {
    Sample sample;
    Vandal vandal;
    GraphOptions options;
    options.rewrite_rules = {&vandal};
    try {
        optimise(sample.graph, options);
        FAIL("nobody noticed");
    } catch (const InternalError& error) {
        REQUIRE(std::string(error.what()).starts_with("the pass 'subgraph-rewrite' broke the graph: value "));
    }
}
