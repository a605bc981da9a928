// SPDX-License-Identifier: Apache-2.0
// Kernels of the rule-based scheduler against the definition they come from, on every backend.
#include "compiler/schedule/schedule.h"

#include <doctest/doctest.h>
#include <random>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "tests/unit/graph/interpret.h"
#include "tests/unit/graph/run_group.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

// An operator made of a task: what tests schedule.
struct Custom {
    explicit Custom(Task (*define)(const OpCall&)) {
        op.name = "Custom";
        op.python = "";
        op.parameters = "xs: tensors";
        op.cls = OpClass::Other;
        op.summary = "for tests";
        op.example = "";
        op.define = define;
    }
    OpInfo op;
};

void check(const OpInfo& op, const std::vector<lang::TensorRef>& inputs, const Attributes& attributes = {},
           double tolerance = 1e-5) {
    Graph graph;
    Values expected;
    std::vector<ValueId> ids;
    for (const auto& input : inputs) {
        ids.push_back(graph.add_input("x", {input->dtype, shape_of(input->shape)}));
        expected[ids.back()] = input;
    }
    const Values start = expected;
    const std::vector<ValueId> outputs = graph.add(op, ids, attributes);
    graph.set_outputs(outputs);
    interpret(graph, expected);
    const NodeId node = graph.value(outputs[0]).producer;
    for (Backend backend : {Backend::Machine, Backend::Emulated, Backend::Native, Backend::Gpu}) {
        GroupRunner runner(backend);
        if (!runner.is_there())
            continue;
        Values values = start;
        runner.run(graph, lower_group(graph, {node, {node}, {Role::Anchor}}, runner.target()), values);
        for (ValueId output : outputs)
            expect_close(values.at(output), values_of(expected.at(output)), tolerance);
    }
}

lang::TensorRef random_f32(std::vector<std::int64_t> shape, std::uint64_t seed = 1) {
    return random_tensor(DType::F32, std::move(shape), seed);
}

// x + a matrix product, a transpose in the operand: what lanes and tiles must get right.
Attributes dims(Ints axes) {
    return {{"dims", std::move(axes)}};
}

Task softmax(const OpCall& call) {
    TaskBuilder builder("softmax");
    const Shape& shape = call.inputs[0].shape;
    const ir::VarRef x = builder.input("x", DType::F32, shape);
    const auto row = [](const Indices& axes) { return Indices{axes[0]}; };
    const ir::VarRef top = builder.reduce("top", DType::F32, {shape[0]}, ReduceOp::Max, {shape[1]},
                                          [&](const Indices& i, const Indices& r) {
                                              return at(x, {i[0], r[0]});
                                          });
    const ir::VarRef e = builder.compute("e", DType::F32, shape, [&](const Indices& i) {
        return ir::math(ir::IntrinsicId::Exp, {ir::sub(at(x, i), at(top, row(i)))});
    });
    const ir::VarRef sum = builder.reduce("sum", DType::F32, {shape[0]}, ReduceOp::Sum, {shape[1]},
                                          [&](const Indices& i, const Indices& r) {
                                              return at(e, {i[0], r[0]});
                                          });
    return builder.finish({builder.compute("y", DType::F32, shape,
                                           [&](const Indices& i) { return ir::div(at(e, i), at(sum, row(i))); })});
}

// A convolution with zeros around its input, which are a stage of their own.
Task convolution(const OpCall& call) {
    TaskBuilder builder("conv");
    const Shape& x_shape = call.inputs[0].shape;
    const Shape& w_shape = call.inputs[1].shape;
    const ir::VarRef x = builder.input("x", DType::F32, x_shape);
    const ir::VarRef w = builder.input("w", DType::F32, w_shape);
    const ir::ExprRef zero = ir::float_constant(0);
    Shape padded = x_shape;
    for (std::size_t d : {2u, 3u})
        padded[d] = ir::add(padded[d], dim(2));
    const ir::VarRef pad = builder.compute("pad", DType::F32, padded, [&](const Indices& i) {
        ir::ExprRef inside = ir::bool_constant(true);
        Indices from = i;
        for (std::size_t d : {2u, 3u}) {
            from[d] = ir::sub(i[d], dim(1));
            inside = ir::logical_and(inside,
                                     ir::logical_and(ir::less_equal(dim(0), from[d]), ir::less(from[d], x_shape[d])));
        }
        return ir::select(inside, at(x, from), zero);
    });
    const Shape out = {x_shape[0], w_shape[0], x_shape[2], x_shape[3]};
    return builder.finish({builder.reduce(
        "y", DType::F32, out, ReduceOp::Sum, {x_shape[1], dim(3), dim(3)}, [&](const Indices& i, const Indices& r) {
            return ir::mul(at(pad, {i[0], r[0], ir::add(i[2], r[1]), ir::add(i[3], r[2])}),
                           at(w, {i[1], r[0], r[1], r[2]}));
        })});
}

template <ReduceOp op, bool last>
Task best_of_rows(const OpCall& call) {
    TaskBuilder builder("best");
    const Shape& shape = call.inputs[0].shape;
    const ir::VarRef x = builder.input("x", call.inputs[0].dtype, shape);
    return builder.finish(
        {builder.arg_reduce("best", {shape[0]}, op, shape[1], last, [&](const Indices& i, const Indices& r) {
            return at(x, {i[0], r[0]});
        })});
}

template <ReduceOp op>
Task over_rows(const OpCall& call) {
    TaskBuilder builder("over");
    const Shape& shape = call.inputs[0].shape;
    const ir::VarRef x = builder.input("x", call.inputs[0].dtype, shape);
    return builder.finish({builder.reduce("over", call.inputs[0].dtype, {shape[0]}, op, {shape[1]},
                                          [&](const Indices& i, const Indices& r) {
                                              return at(x, {i[0], r[0]});
                                          })});
}

Task running_sum(const OpCall& call) {
    TaskBuilder builder("running");
    const Shape& shape = call.inputs[0].shape;
    const ir::VarRef x = builder.input("x", DType::F32, shape);
    return builder.finish({builder.reduce_ragged(
        "running", DType::F32, shape, ReduceOp::Sum,
        [](const Indices& i) { return ir::ExprVec{ir::add(i[1], dim(1))}; },
        [&](const Indices& i, const Indices& r) {
            return at(x, {i[0], r[0]});
        })});
}

void check_matmul(std::vector<std::int64_t> a, std::vector<std::int64_t> b, bool transpose = false) {
    check(op_info::Matmul(), {random_f32(std::move(a), 1), random_f32(std::move(b), 2)}, {{"transpose_b", transpose}},
          1e-4);
}

lang::TensorRef with_nan() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return tensor(DType::F32, {3, 5}, {1, 7, 2, 7, 0, 3, nan, 9, nan, 1, -1, -4, -2, -4, -3});
}

} // namespace

TEST_CASE("element-wise operators of any rank are right, also on tensors of nothing and of one") {
    check(op_info::Add(), {random_f32({2, 3, 5}, 1), random_f32({5}, 2)});
    check(op_info::Add(), {random_f32({}, 1), random_f32({}, 2)});
    check(op_info::Add(), {random_f32({0, 3}, 1), random_f32({3}, 2)});
    check(op_info::Relu(), {random_f32({300})});
    check(op_info::Relu(), {random_f32({3, 0})});
}

TEST_CASE("a long axis is shared among threads in chunks") {
    check(op_info::Relu(), {random_f32({2, 30001})});
}

TEST_CASE("sums over the last, the first, a middle and all axes") {
    const auto x = random_f32({6, 37, 41});
    for (const Ints& axes : {Ints{2}, Ints{0}, Ints{1}, Ints{0, 2}, Ints{}})
        check(op_info::ReduceSum(), {x}, dims(axes), 1e-4);
    check(op_info::ReduceSum(), {random_f32({4, 0})}, dims({1}));
    check(op_info::ReduceSum(), {random_f32({0, 4})}, dims({1}));
}

TEST_CASE("products of matrices of sizes that fit no tile") {
    check_matmul({64, 64}, {64, 64});
    check_matmul({7, 19}, {19, 45});
    check_matmul({3, 5, 33}, {33, 70});
    check_matmul({9, 37}, {11, 37}, true);
    check_matmul({9, 37}, {37});
    check_matmul({37}, {37});
    check_matmul({37}, {37, 5});
    check_matmul({2, 1, 5, 6}, {3, 6, 4});
    check_matmul({130, 40}, {40, 300});
}

TEST_CASE("a softmax keeps its exponentials in memory, a convolution inlines its zeros") {
    check(Custom(softmax).op, {random_f32({5, 77})});
    check(Custom(convolution).op, {random_f32({2, 3, 9, 11}, 1), random_f32({5, 3, 3, 3}, 2)}, {}, 1e-4);
    Graph graph;
    const auto kernels = [&](Task (*define)(const OpCall&), std::vector<TensorSpec> inputs) {
        Custom custom(define);
        return schedule(define(OpCall(custom.op, std::move(inputs), {})), artifact::default_gpu(), "k").kernels.size();
    };
    REQUIRE(kernels(softmax, {{DType::F32, shape_of(std::vector<std::int64_t>{5, 77})}}) == 4u);
    REQUIRE(kernels(convolution, {{DType::F32, shape_of(std::vector<std::int64_t>{2, 3, 9, 11})},
                                  {DType::F32, shape_of(std::vector<std::int64_t>{5, 3, 3, 3})}}) == 1u);
}

TEST_CASE("products with weights of few bits, in groups that are whole and that end within a byte or a row") {
    for (const std::int64_t bits : {2, 4, 8})
        for (const std::int64_t group : {0, 16, 22, 33})
            for (const std::int64_t rows : {1, 5}) {
                CAPTURE(bits);
                CAPTURE(group);
                const std::int64_t k = 176, n = 37, groups = group ? (k + group - 1) / group : 1;
                check(
                    op_info::PackedMatmul(),
                    {random_f32({rows, k}), random_tensor(DType::U8, {n, k * bits / 8}, 2), random_f32({n, groups}, 3)},
                    {{"bits", bits}, {"group_size", group}}, 1e-3);
            }
}

TEST_CASE("arg reductions take the first or the last of equals, and a NaN before all") {
    check(Custom(best_of_rows<ReduceOp::ArgMax, false>).op, {with_nan()});
    check(Custom(best_of_rows<ReduceOp::ArgMax, true>).op, {with_nan()});
    check(Custom(best_of_rows<ReduceOp::ArgMin, false>).op, {with_nan()});
    check(Custom(best_of_rows<ReduceOp::ArgMin, true>).op, {random_tensor(DType::I8, {6, 40})});
    check(Custom(best_of_rows<ReduceOp::ArgMax, false>).op, {random_f32({4, 0})});
}

TEST_CASE("a NaN is the largest and the smallest of all") {
    check(Custom(over_rows<ReduceOp::Max>).op, {with_nan()});
    check(Custom(over_rows<ReduceOp::Min>).op, {with_nan()});
    check(Custom(over_rows<ReduceOp::Max>).op, {random_f32({2, 0})});
}

TEST_CASE("reductions of every kind and type") {
    for (DType dtype : {DType::F16, DType::BF16, DType::F64, DType::I8, DType::U8, DType::I32, DType::I64}) {
        const auto x = random_tensor(dtype, {5, 70});
        check(Custom(over_rows<ReduceOp::Sum>).op, {x}, {}, 1e-2);
        check(Custom(over_rows<ReduceOp::Max>).op, {x});
        check(Custom(over_rows<ReduceOp::Min>).op, {x});
    }
    check(Custom(over_rows<ReduceOp::Prod>).op, {random_tensor(DType::I64, {5, 7})});
    check(Custom(over_rows<ReduceOp::And>).op, {random_tensor(DType::Bool, {9, 3})});
    check(Custom(over_rows<ReduceOp::Or>).op, {random_tensor(DType::Bool, {9, 3})});
}

TEST_CASE("loads behind a condition on data are right for short axes of every length") {
    for (std::int64_t columns = 2; columns < 9; ++columns)
        check(op_info::PRelu(), {random_f32({3, 4, columns}, 1), random_f32({3, 4, columns}, 2)});
}

TEST_CASE("a reduction whose length depends on the element") {
    check(Custom(running_sum).op, {random_f32({3, 70})}, {}, 1e-4);
    check(Custom(running_sum).op, {random_f32({1, 700})}, {}, 1e-4);
}

TEST_CASE("many terms of few elements are shared by threads, and by blocks that each have a part") {
    for (const Ints& axes : {Ints{2}, Ints{0}, Ints{1}, Ints{0, 2}, Ints{}}) {
        check(op_info::ReduceSum(), {random_f32({5, 41, 301})}, dims(axes), 1e-4);
        check(op_info::ReduceMax(), {random_tensor(DType::I64, {41, 5, 301})}, dims(axes));
    }
    check(Custom(over_rows<ReduceOp::Max>).op, {random_f32({1, 70001})});
    check(Custom(over_rows<ReduceOp::Or>).op, {random_tensor(DType::Bool, {3, 40000})});
    check(Custom(over_rows<ReduceOp::And>).op, {tensor(DType::Bool, {1, 30000}, std::vector<double>(30000, 1))});
}

TEST_CASE("only reductions of few elements and many terms have parts, on a GPU and on a CPU of several cores") {
    artifact::TargetSpec cpu = artifact::default_cpu();
    cpu.cores = 16;
    for (const artifact::TargetSpec& target : {artifact::default_gpu(), cpu}) {
        const auto kernels = [&](std::vector<std::int64_t> shape, Task (*define)(const OpCall&)) {
            Custom custom(define);
            const OpCall call(custom.op, {{DType::F32, shape_of(std::move(shape))}}, {});
            return schedule(define(call), target, "k").kernels.size();
        };
        REQUIRE(kernels({1, 70001}, over_rows<ReduceOp::Max>) == 2u);
        REQUIRE(kernels({100000, 70}, over_rows<ReduceOp::Max>) == 1u);
        REQUIRE(kernels({1, 70001}, best_of_rows<ReduceOp::ArgMax, false>) == 1u);
    }
    artifact::TargetSpec one = cpu;
    one.cores = 1;
    Custom custom(over_rows<ReduceOp::Max>);
    const OpCall call(custom.op, {{DType::F32, shape_of({1, 70001})}}, {});
    REQUIRE(schedule(over_rows<ReduceOp::Max>(call), one, "k").kernels.size() == 1u);
}

TEST_CASE("threads that share an arg reduction agree on the first or the last of equals") {
    std::vector<double> values(3 * 5000, -1);
    for (const std::size_t at : {4999, 700, 701, 3000, 5000 + 33, 5000 + 4000, 10000})
        values[at] = 7;
    values[10000 + 2500] = values[10000 + 40] = std::numeric_limits<double>::quiet_NaN();
    const auto x = tensor(DType::F32, {3, 5000}, values);
    check(Custom(best_of_rows<ReduceOp::ArgMax, false>).op, {x});
    check(Custom(best_of_rows<ReduceOp::ArgMax, true>).op, {x});
    check(Custom(best_of_rows<ReduceOp::ArgMin, false>).op, {x});
    check(Custom(best_of_rows<ReduceOp::ArgMin, true>).op, {random_tensor(DType::I8, {6, 4000})});
}
