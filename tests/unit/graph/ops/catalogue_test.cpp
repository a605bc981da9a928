// SPDX-License-Identifier: Apache-2.0
// What holds of every operator there is: its description is complete, and what its tasks claim of themselves is true.
#include <cctype>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <string>

#include "compiler/graph/core/graph.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "tests/unit/graph/ops/applied.h"
#include "tests/unit/graph/ops/loops.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

// Places of the result that read an element of the input, as text of indices.
class Reads : public ir::Walker {
public:
    explicit Reads(const ir::VarRef& input) : m_input(input) {}
    std::vector<Indices> found;

protected:
    using Walker::visit;
    void visit(const ir::TensorElement& element) override {
        if (element.base.get() == m_input.get())
            found.push_back(element.indices);
        walk_children(element);
    }

private:
    const ir::VarRef& m_input;
};

// The values of index expressions over axes, for every index of a shape.
std::vector<Index> evaluated(const Index& shape, const ir::VarVec& axes, const Indices& indices) {
    std::size_t count = 0;
    for_each(shape, [&](const Index&) { ++count; });
    std::vector<Index> places(count);
    for (const ir::ExprRef& index : indices) {
        Task task;
        Stage stage;
        stage.tensor = ir::make_var("index", ir::tensor_type(ir::data_type(DType::I64), graph::shape_of(shape)));
        stage.axes = axes;
        stage.value = ir::cast_to(index, DType::I64);
        task.stages = {stage};
        task.outputs = {stage.tensor};
        const std::vector<double> values = values_of(evaluate(task, {}).at(0));
        for (std::size_t i = 0; i < count; ++i)
            places[i].push_back(static_cast<std::int64_t>(values[i]));
    }
    return places;
}

// output[inverse(index)] reads input[index], once, and nothing else does.
void check_inverse(const Task& task, std::size_t input) {
    const Stage& stage = task.stages.back();
    const Index from = *constant_shape(graph::shape_of(task.inputs[input]));
    const Index to = *constant_shape(graph::shape_of(stage.tensor));
    std::map<Index, std::set<Index>> readers;
    Reads reads(task.inputs[input]);
    reads.walk(stage.value);
    REQUIRE(!reads.found.empty());
    for (const Indices& indices : reads.found) {
        const std::vector<Index> places = evaluated(to, stage.axes, indices);
        std::size_t next = 0;
        for_each(to, [&](const Index& index) { readers[places[next++]].insert(index); });
    }
    const InverseMap& map = *task.inverse_maps[input];
    REQUIRE(map.indices.size() == to.size());
    const std::vector<Index> claimed = evaluated(from, map.axes, map.indices);
    std::size_t next = 0;
    std::set<Index> covered;
    for_each(from, [&](const Index& index) {
        REQUIRE(readers[index].size() == 1u);
        REQUIRE(*readers[index].begin() == claimed[next]);
        covered.insert(claimed[next++]);
    });
    std::size_t count = 0;
    for_each(to, [&](const Index&) { ++count; });
    REQUIRE(covered.size() == count); // and every place of the result is some element's
}

Task task_of(const Applied& applied) {
    OpCall call(applied.op, {}, applied.attributes);
    for (const Index& shape : applied.inputs)
        call.inputs.push_back(
            {applied.op.name == std::string("Where") && call.inputs.empty() ? DType::Bool : DType::F32,
             graph::shape_of(shape)});
    return applied.op.define(call);
}

bool is_sentence_part(const std::string& text) {
    const bool begins_small = !std::isupper(static_cast<unsigned char>(text[0])) || text.starts_with("NaN");
    return begins_small && text.back() != '.' && text.find("  ") == std::string::npos;
}

} // namespace

TEST_CASE("every operator says what it does, takes and looks like in a script") {
    std::set<std::string> names, functions;
    for (const OpInfo* op : all_ops()) {
        const std::string name = op->name;
        const auto want = [&](bool condition, const char* what) {
            if (!condition)
                FAIL(name, ": ", what);
        };
        want(op->summary && *op->summary && is_sentence_part(op->summary), "the summary");
        want(op->python != nullptr, "the parameters");
        want(op->example && (*op->example || !*op->python), "the example");
        want((op->define != nullptr) != (op->infer != nullptr && op->run != nullptr), "defined, or run on the host");
        want(names.insert(name).second, "the name is another's");
        want(!*op->python || functions.insert(op->python).second, "the function's name is another's");
        const std::string call = "hidet.ops." + std::string(op->python) + "(";
        want(!*op->python || std::string(op->example).starts_with(call), "the example calls it");
        want(find_op(name) == op && &info_of(op->id) == op, "it is found by its name and by its id");
    }
}

TEST_CASE("an inverse map names the one place that reads an element") {
    for (const Applied& applied : moves()) {
        const Task task = task_of(applied);
        for (std::size_t i = 0; i < task.inputs.size(); ++i)
            if (task.inverse_maps[i]) {
                INFO(text_of(task));
                check_inverse(task, i);
            }
    }
}

TEST_CASE("what moves or combines elements in place can be inverted, what drops or repeats them cannot") {
    for (const Applied& applied : moves())
        if (!task_of(applied).has_inverse())
            FAIL(applied.op.name, " has no inverse map");
    for (const OpInfo* op : all_ops()) {
        const bool is_unary = op->cls == OpClass::Elementwise && std::string(op->parameters.text()) == "x";
        if (is_unary)
            REQUIRE(op->define(OpCall(*op, {{DType::I32, {dim(2), dim(3)}}}, {})).has_inverse());
    }
    const std::vector<Applied> others = {
        {op_info::Tile(), {{2, 3}}, {{"repeats", Ints{1, 1}}}},
        {op_info::Broadcast(), {{1, 3}}, {{"shape", Ints{2, 3}}}},
        {op_info::StridedSlice(), {{2, 3}}, {{"starts", Ints{1}}, {"ends", Ints{2}}}},
        {op_info::Concat(), {{2, 3}, {2, 3}}},
        {op_info::Add(), {{1}, {3}}},
        {op_info::Reshape(), {{0, 3}}, {{"shape", Ints{0}}}},
    };
    for (const Applied& applied : others)
        REQUIRE(!task_of(applied).inverse_maps[0]);
}

TEST_CASE("a chain of operators that read an element twice grows by one operator at a time") {
    Graph graph;
    ValueId x = graph.add_input("x", {DType::F32, {dim(4)}});
    x = graph.add_one(op_info::Relu(), {x});
    const std::string once = text_of(*graph.node(graph.value(x).producer).task);
    REQUIRE(once.find("let") != std::string::npos);
}

TEST_CASE("operators refuse too few and too many tensors") {
    const auto refuses = [](const OpInfo& op, std::size_t count) {
        try {
            check_arity(op, count);
        } catch (const OpError&) {
            return true;
        }
        return false;
    };
    REQUIRE((refuses(op_info::Add(), 1) && refuses(op_info::Add(), 3) && !refuses(op_info::Add(), 2)));
    REQUIRE((refuses(op_info::Max(), 0) && !refuses(op_info::Max(), 1) && !refuses(op_info::Max(), 9)));
    REQUIRE((refuses(op_info::Pad(), 0) && !refuses(op_info::Pad(), 1) && !refuses(op_info::Pad(), 2)));
    REQUIRE((refuses(op_info::Pad(), 3) && !refuses(op_info::Full(), 0) && refuses(op_info::Full(), 1)));
}

TEST_CASE("dimensions that are equal compare equal, whatever order they were computed in") {
    const Dim b = symbol_dim("b"), s = symbol_dim("s");
    const auto mul = [](const Dim& x, const Dim& y) { return ir::mul(x, y); };
    REQUIRE(same_dim(mul(mul(b, s), dim(64)), mul(dim(64), mul(s, b))));
    REQUIRE(same_dim(ir::sub(ir::add(b, s), b), s));
    REQUIRE(same_dim(ir::floor_div(mul(mul(s, dim(768)), b), mul(dim(64), b)), mul(s, dim(12))));
    REQUIRE(same_dim(mul(ir::add(s, dim(1)), dim(2)), ir::add(ir::add(s, s), dim(2))));
    REQUIRE(!same_dim(ir::floor_div(ir::add(s, dim(1)), dim(2)), ir::floor_div(s, dim(2))));
    REQUIRE(same_dim(ir::math(ir::IntrinsicId::Min, {s, ir::add(s, dim(3))}), s));
    REQUIRE(text_of(simplified(ir::sub(mul(s, dim(2)), mul(b, ir::add(s, dim(1)))))) == "s * 2 - b * s - b");
}
