// SPDX-License-Identifier: Apache-2.0
// Operators as kernels: what the backends compute is what the definition says, on numbers of every kind.
#include <doctest/doctest.h>
#include <limits>
#include <string>

#include "compiler/graph/plan/extent.h"

#include "tests/unit/graph/ops/applied.h"
#include "tests/unit/graph/run_group.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

// Every operator is a group of its own; all of them are one graph, so that a backend is started once.
class Kernels {
public:
    void add(const OpInfo& op, const std::vector<lang::TensorRef>& inputs, const Attributes& attributes = {}) {
        std::vector<ValueId> ids;
        for (const lang::TensorRef& input : inputs) {
            ids.push_back(m_graph.add_input("x", {input->dtype, graph::shape_of(input->shape)}));
            m_inputs[ids.back()] = input;
        }
        for (const ValueId output : m_graph.add(op, ids, attributes))
            m_outputs.push_back(output);
    }
    // Of tensors whose extents are symbols, or expressions over them; random numbers.
    void add_symbolic(const OpInfo& op, const std::vector<Shape>& shapes, const Attributes& attributes = {}) {
        std::vector<ValueId> ids;
        for (const Shape& shape : shapes) {
            ids.push_back(m_graph.add_input("x", {DType::F32, shape}));
            m_inputs[ids.back()] = random_tensor(DType::F32, *evaluate(shape, m_symbols), ids.size());
        }
        m_outputs.push_back(m_graph.add_one(op, ids, attributes));
    }
    void check(Backend backend, double tolerance) {
        GroupRunner runner(backend);
        if (!runner.is_there())
            return;
        m_graph.set_outputs(m_outputs);
        Values expected = m_inputs;
        interpret(m_graph, expected, m_symbols);
        Values values = m_inputs;
        for (const NodeId node : m_graph.topological()) {
            runner.run(m_graph, lower_group(m_graph, {node, {node}, {Role::Anchor}}, runner.target()), values,
                       m_symbols);
            for (const ValueId output : m_graph.node(node).outputs)
                compare(node, values.at(output), expected.at(output), tolerance);
        }
    }

private:
    void compare(NodeId node, const lang::TensorRef& is, const lang::TensorRef& expected, double tolerance) {
        INFO(text_of(*m_graph.node(node).task));
        REQUIRE(is->shape == expected->shape);
        expect_close(is, values_of(expected), tolerance);
    }
    Graph m_graph;
    Values m_inputs;
    SymbolValues m_symbols = {{"b", 2}, {"n", 5}, {"s", 3}};
    std::vector<ValueId> m_outputs;
};

const std::vector<double> kernel_numbers = {-infinity, -88, -2.5, -1.5, -1, -0.5, -0.001, 0,        0.001,
                                            0.5,       1,   1.5,  2.5,  3,  20,   88,     infinity, not_a_number};
constexpr std::int64_t count = 18;

Kernels functions(DType dtype) {
    Kernels kernels;
    const auto x = tensor(dtype, {count}, kernel_numbers);
    const auto y = tensor(dtype, {count, 1}, kernel_numbers);
    for (const OpInfo* op : all_ops()) {
        const std::string parameters = op->parameters.text();
        if (op->cls != OpClass::Elementwise || op->name == std::string("BitwiseNot"))
            continue;
        const bool takes_bits =
            std::string(op->name).starts_with("Bitwise") || std::string(op->name).ends_with("Shift");
        if (parameters == "x" || parameters.starts_with("x, alpha") || parameters.starts_with("x, lambd"))
            kernels.add(*op, {x});
        else if (parameters == "x, y" && !takes_bits)
            kernels.add(*op, {x, y});
        else if (parameters == "x, scalar: number")
            kernels.add(*op, {x}, {{"scalar", 1.5}});
    }
    kernels.add(op_info::Gelu(), {x}, {{"approximate", true}});
    kernels.add(op_info::Clip(), {x}, {{"min_val", -1.0}, {"max_val", 2.0}});
    kernels.add(op_info::Mod(), {x, y}, {{"fmod", true}});
    kernels.add(op_info::IsInf(), {x}, {{"detect_negative", false}});
    kernels.add(op_info::Max(), {x, y, x});
    kernels.add(op_info::Where(), {tensor(DType::Bool, {2, 1, 1}, {1, 0}), x, y});
    for (const DType to : {DType::I32, DType::U8, DType::I64, DType::Bool, DType::F16, DType::F64, DType::BF16})
        kernels.add(op_info::Cast(), {x}, {{"dtype", to}});
    return kernels;
}

Kernels integers() {
    Kernels kernels;
    for (const DType dtype : {DType::I32, DType::I64, DType::U8, DType::I8}) {
        const auto x = tensor(dtype, {6},
                              ir::is_signed(dtype) ? std::vector<double>{-128, -7, -1, 0, 5, 127}
                                                   : std::vector<double>{0, 1, 7, 40, 128, 255});
        const auto y = tensor(dtype, {7, 1},
                              ir::is_signed(dtype) ? std::vector<double>{-3, -1, 0, 1, 2, 7, 40}
                                                   : std::vector<double>{0, 1, 2, 3, 7, 40, 200});
        for (const OpInfo* op :
             {&op_info::Add(), &op_info::Subtract(), &op_info::Multiply(), &op_info::Divide(), &op_info::FloorDivide(),
              &op_info::Mod(), &op_info::Pow(), &op_info::BitwiseAnd(), &op_info::BitwiseOr(), &op_info::BitwiseXor(),
              &op_info::LeftShift(), &op_info::RightShift(), &op_info::Less(), &op_info::Equal(), &op_info::Max(),
              &op_info::Min(), &op_info::LogicalXor(), &op_info::PRelu()})
            kernels.add(*op, {x, y});
        kernels.add(op_info::Mod(), {x, y}, {{"fmod", true}});
        for (const OpInfo* op : {&op_info::Abs(), &op_info::Sign(), &op_info::Negative(), &op_info::BitwiseNot(),
                                 &op_info::Relu(), &op_info::Round()})
            kernels.add(*op, {x});
        for (const DType to : {DType::I16, DType::U16, DType::F32, DType::Bool})
            kernels.add(op_info::Cast(), {x}, {{"dtype", to}});
    }
    return kernels;
}

// What a machine would trap on, or leave undefined.
Kernels dangers() {
    Kernels kernels;
    const auto x = tensor(DType::I32, {4}, {-2147483648.0, -2147483648.0, 7, 1});
    const auto y = tensor(DType::I32, {4}, {-1, 0, 0, 40});
    for (const OpInfo* op : {&op_info::Divide(), &op_info::Mod(), &op_info::LeftShift(), &op_info::Pow()})
        kernels.add(*op, {x, y});
    const auto far = tensor(DType::F32, {6}, {3e9, -3e9, infinity, -infinity, not_a_number, 2.5});
    for (const DType to : {DType::I32, DType::U8, DType::I64})
        kernels.add(op_info::Cast(), {far}, {{"dtype", to}});
    kernels.add(op_info::Round(), {far});
    return kernels;
}

Kernels placements() {
    Kernels kernels;
    for (const Applied& applied : moves()) {
        std::vector<lang::TensorRef> inputs;
        for (const Index& shape : applied.inputs) {
            const bool is_condition = applied.op.name == std::string("Where") && inputs.empty();
            inputs.push_back(random_tensor(is_condition ? DType::Bool : DType::F32, shape, inputs.size() + 1));
        }
        kernels.add(applied.op, inputs, applied.attributes);
    }
    const auto x = counted(DType::F32, {4, 6});
    const std::int64_t one = 1;
    kernels.add(op_info::AsStrided(), {x}, {{"size", Ints{3, 2}}, {"stride", Ints{1, 7}}});
    kernels.add(op_info::Broadcast(), {counted(DType::F32, {4, 1})}, {{"shape", Ints{3, 4, 2}}});
    kernels.add(op_info::Broadcast(), {counted(DType::F32, {})}, {{"shape", Ints{0, 2}}});
    kernels.add(op_info::Concat(), {x, x, counted(DType::F16, {4, 0}), x}, {{"axis", one}});
    kernels.add(op_info::StridedSlice(), {x},
                {{"starts", Ints{-1, 1}}, {"ends", Ints{-9, 6}}, {"strides", Ints{-2, 2}}});
    kernels.add(op_info::StridedSlice(), {x}, {{"starts", Ints{3}}, {"ends", Ints{1}}});
    kernels.add(op_info::SetStridedSlice(), {x, counted(DType::F32, {2})},
                {{"starts", Ints{1, 1}}, {"ends", Ints{3, 5}}, {"strides", Ints{1, 2}}});
    for (const char* mode : {"constant", "reflect", "edge", "wrap"})
        kernels.add(op_info::Pad(), {x}, {{"pads", Ints{5, -1, 2, 9}}, {"mode", std::string(mode)}});
    kernels.add(op_info::Tile(), {x}, {{"repeats", Ints{2, 3}}});
    kernels.add(op_info::Tile(), {x}, {{"repeats", Ints{2, 0}}});
    kernels.add(op_info::RepeatInterleave(), {x}, {{"repeats", std::int64_t{3}}, {"dim", one}});
    kernels.add(op_info::Tril(), {x, tensor(DType::I64, {}, {-1})});
    kernels.add(op_info::Triu(), {x}, {{"diagonal", one}});
    kernels.add(op_info::Take(), {x, tensor(DType::I64, {2, 2}, {0, -1, 9, -5})}, {{"axis", one}});
    kernels.add(op_info::Take(), {counted(DType::F32, {0, 2}), tensor(DType::I32, {2}, {0, 1})});
    kernels.add(op_info::Gather(), {x, tensor(DType::I32, {2, 3}, {0, -1, 3, 1, -4, 77})});
    kernels.add(op_info::GatherND(), {x, tensor(DType::I64, {3, 2}, {0, 1, -1, -1, 4, 0})});
    kernels.add(op_info::ReverseSequence(), {x, tensor(DType::I64, {6}, {1, 2, 3, 4, 0, 9})});
    kernels.add(op_info::OneHot(), {tensor(DType::I64, {3}, {0, -1, 9}), tensor(DType::I32, {2}, {5, 9})},
                {{"depth", std::int64_t{4}}, {"axis", std::int64_t{0}}});
    kernels.add(op_info::Full(), {}, {{"shape", Ints{2, 3}}, {"value", -infinity}});
    kernels.add(op_info::Arange(), {}, {{"start", 0.5}, {"stop", 3.0}, {"step", 0.75}});
    kernels.add(op_info::LinSpace(), {}, {{"start", 0.0}, {"stop", 1.0}, {"num", std::int64_t{7}}});
    kernels.add(op_info::Eye(), {}, {{"n", std::int64_t{3}}, {"m", std::int64_t{4}}, {"dtype", DType::I8}});
    kernels.add(op_info::Tri(), {}, {{"n", std::int64_t{3}}, {"k", one}});
    return kernels;
}

Kernels symbols() {
    Kernels kernels;
    const Dim b = symbol_dim("b"), n = symbol_dim("n"), s = symbol_dim("s");
    const std::int64_t one = 1;
    const std::int64_t beyond = std::numeric_limits<std::int64_t>::max();
    kernels.add_symbolic(op_info::Add(), {{b, dim(1), s}, {n, dim(1)}});
    kernels.add_symbolic(op_info::Reshape(), {{b, s, dim(12)}}, {{"shape", Shape{b, s, dim(3), dim(4)}}});
    kernels.add_symbolic(op_info::Reshape(), {{b, s, dim(12)}}, {{"shape", Shape{s, dim(6), dim(-1)}}});
    kernels.add_symbolic(op_info::Flatten(), {{b, s, n}}, {{"start_dim", one}});
    kernels.add_symbolic(op_info::PermuteDims(), {{b, s, n}}, {{"axes", Ints{2, 0, 1}}});
    kernels.add_symbolic(op_info::Flip(), {{n, s}}, {{"dims", Ints{0, 1}}});
    kernels.add_symbolic(op_info::Roll(), {{n, s}}, {{"shifts", Ints{-7, 2}}, {"dims", Ints{0, 1}}});
    kernels.add_symbolic(op_info::StridedSlice(), {{n, s}}, {{"starts", Ints{1, -1}}, {"ends", Ints{-1, beyond}}});
    kernels.add_symbolic(op_info::StridedSlice(), {{n}}, {{"starts", Ints{-9}}, {"ends", Ints{beyond}}});
    kernels.add_symbolic(op_info::StridedSlice(), {{n}},
                         {{"starts", Ints{-1}}, {"ends", Ints{-beyond}}, {"strides", Ints{-2}}});
    kernels.add_symbolic(op_info::StridedSlice(), {{dim(9), n}}, {{"starts", Shape{s}}, {"ends", Shape{n}}});
    kernels.add_symbolic(op_info::Concat(), {{b, n}, {b, s}, {b, dim(1)}}, {{"axis", one}});
    for (const char* mode : {"constant", "reflect", "edge", "wrap"})
        kernels.add_symbolic(op_info::Pad(), {{n}}, {{"pads", Shape{dim(6), s}}, {"mode", std::string(mode)}});
    kernels.add_symbolic(op_info::Tile(), {{n, s}}, {{"repeats", Shape{dim(2), b}}});
    kernels.add_symbolic(op_info::Broadcast(), {{n, dim(1)}}, {{"shape", Shape{b, n, s}}});
    kernels.add_symbolic(op_info::DepthToSpace(), {{b, dim(8), n, s}}, {{"blocksize", std::int64_t{2}}});
    kernels.add_symbolic(op_info::Tril(), {{n, s}});
    kernels.add_symbolic(op_info::Full(), {}, {{"shape", Shape{n, b}}, {"value", 2.5}});
    kernels.add_symbolic(op_info::Arange(), {}, {{"start", one}, {"stop", Shape{n}}, {"dtype", DType::F32}});
    return kernels;
}

void on_each_machine(Kernels (*make)(), double tolerance) {
    SUBCASE("in the virtual machine") {
        make().check(Backend::Machine, tolerance);
    }
    SUBCASE("as emulated CUDA") {
        make().check(Backend::Emulated, tolerance);
    }
}

} // namespace

TEST_CASE("float32 functions are those of the definition") {
    on_each_machine([] { return functions(DType::F32); }, 1e-5);
}

TEST_CASE("float64 functions are those of the definition") {
    on_each_machine([] { return functions(DType::F64); }, 1e-9);
}

TEST_CASE("float16 functions are those of the definition") {
    on_each_machine([] { return functions(DType::F16); }, 4e-3);
}

TEST_CASE("bfloat16 functions are those of the definition") {
    on_each_machine([] { return functions(DType::BF16); }, 2e-2);
}

TEST_CASE("integers divide, shift and wrap as the definition says") {
    on_each_machine(integers, 0);
}

TEST_CASE("elements go where the definition says") {
    on_each_machine(placements, 0);
}

TEST_CASE("elements go where the definition says, with dynamic extents too") {
    on_each_machine(symbols, 1e-6);
}

TEST_CASE("no number is dangerous") {
    on_each_machine(dangers, 0);
}

TEST_CASE("as C++, no number is dangerous") {
    dangers().check(Backend::Native, 0);
}
