// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/graph/fuse/random_graph.h"

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::test {

using namespace graph;
using ir::DType;

namespace {

OpInfo info(const char* name, Task (*define)(const OpCall&)) {
    OpInfo op;
    op.name = name;
    op.python = op.example = "";
    op.parameters = "x";
    op.summary = "for tests";
    op.cls = OpClass::Other;
    op.define = define;
    return op;
}

// One input, one result of the same shape, element [at(i)] of it for element i.
Task moving(const OpCall& call, const char* name, const std::function<Indices(const Indices&)>& at_index,
            const std::function<Indices(const Indices&)>& back) {
    TaskBuilder builder(name);
    const ir::VarRef x = builder.input("x", DType::F32, call.inputs[0].shape);
    const ir::VarRef y = builder.compute(name, DType::F32, back(call.inputs[0].shape),
                                         [&](const Indices& i) { return at(x, at_index(i)); });
    builder.inverse(0, back);
    return builder.finish({y});
}

Task pointwise(const OpCall& call, const char* name, const std::function<ir::ExprRef(const ir::ExprRef&)>& value) {
    TaskBuilder builder(name);
    const ir::VarRef x = builder.input("x", DType::F32, call.inputs[0].shape);
    const ir::VarRef y =
        builder.compute(name, DType::F32, call.inputs[0].shape, [&](const Indices& i) { return value(at(x, i)); });
    builder.inverse(0, [](const Indices& i) { return i; });
    return builder.finish({y});
}

Indices swapped(Indices i) {
    std::swap(i[i.size() - 1], i[i.size() - 2]);
    return i;
}

Indices with_last(Indices i, const ir::ExprRef& last) {
    i.back() = last;
    return i;
}

ir::ExprRef zero() {
    return ir::float_constant(0);
}

} // namespace

const OpInfo& ops::Reverse() {
    static const OpInfo op = info("Reverse", [](const OpCall& call) {
        const Shape& shape = call.inputs[0].shape;
        TaskBuilder builder("reverse");
        const auto mirrored = [&](const Indices& i) {
            return with_last(i, ir::sub(ir::sub(shape.back(), dim(1)), i.back()));
        };
        const ir::VarRef x = builder.input("x", DType::F32, shape);
        const ir::VarRef y =
            builder.compute("reverse", DType::F32, shape, [&](const Indices& i) { return at(x, mirrored(i)); });
        builder.inverse(0, mirrored);
        return builder.finish({y});
    });
    return op;
}

const OpInfo& ops::Transpose() {
    static const OpInfo op =
        info("Transpose", [](const OpCall& call) { return moving(call, "transpose", swapped, swapped); });
    return op;
}

const OpInfo& ops::Shift() {
    static const OpInfo op = info("Shift", [](const OpCall& call) {
        TaskBuilder builder("shift");
        const ir::VarRef x = builder.input("x", DType::F32, call.inputs[0].shape);
        const ir::VarRef y = builder.compute("shift", DType::F32, call.inputs[0].shape, [&](const Indices& i) {
            return ir::select(ir::less(dim(0), i.back()), at(x, with_last(i, ir::sub(i.back(), dim(1)))), zero());
        });
        return builder.finish({y});
    });
    return op;
}

const OpInfo& ops::Exp() {
    static const OpInfo op = info("Exp", [](const OpCall& call) {
        return pointwise(call, "exp", [](const ir::ExprRef& x) {
            return ir::math(ir::IntrinsicId::Exp, {ir::math(ir::IntrinsicId::Min, {x, ir::float_constant(1)})});
        });
    });
    return op;
}

const OpInfo& ops::Double() {
    static const OpInfo op = info("Double", [](const OpCall& call) {
        return pointwise(call, "double", [](const ir::ExprRef& x) { return ir::add(x, x); });
    });
    return op;
}

const OpInfo& ops::Halves() {
    static const OpInfo op = info("Halves", [](const OpCall& call) {
        TaskBuilder builder("halves");
        const Shape& shape = call.inputs[0].shape;
        const ir::VarRef x = builder.input("x", DType::F32, shape);
        const ir::VarRef low = builder.compute("low", DType::F32, shape, [&](const Indices& i) {
            return ir::math(ir::IntrinsicId::Min, {at(x, i), zero()});
        });
        return builder.finish({low, builder.compute("high", DType::F32, shape,
                                                    [&](const Indices& i) { return ir::sub(at(x, i), at(low, i)); })});
    });
    return op;
}

static ir::VarRef over_last(TaskBuilder& builder, const ir::VarRef& x, const char* name, ReduceOp reduce) {
    const Shape& shape = shape_of(x);
    return builder.reduce(name, DType::F32, with_last(shape, dim(1)), reduce, {shape.back()},
                          [&](const Indices& i, const Indices& r) { return at(x, with_last(i, r[0])); });
}

const OpInfo& ops::SumAndMax() {
    static const OpInfo op = info("SumAndMax", [](const OpCall& call) {
        TaskBuilder builder("sum_and_max");
        const ir::VarRef x = builder.input("x", DType::F32, call.inputs[0].shape);
        const ir::VarRef sum = over_last(builder, x, "sum", ReduceOp::Sum);
        return builder.finish({sum, over_last(builder, x, "max", ReduceOp::Max)});
    });
    return op;
}

const OpInfo& ops::Normalise() {
    static const OpInfo op = info("Normalise", [](const OpCall& call) {
        TaskBuilder builder("normalise");
        const Shape& shape = call.inputs[0].shape;
        const ir::VarRef x = builder.input("x", DType::F32, shape);
        const ir::VarRef square =
            builder.compute("square", DType::F32, shape, [&](const Indices& i) { return ir::mul(at(x, i), at(x, i)); });
        const ir::VarRef sum = over_last(builder, square, "sum", ReduceOp::Sum);
        return builder.finish({builder.compute("normalise", DType::F32, shape, [&](const Indices& i) {
            return ir::div(at(x, i), ir::add(at(sum, with_last(i, dim(0))), ir::float_constant(1)));
        })});
    });
    return op;
}

const OpInfo& ops::Mixed() {
    static const OpInfo op = info("Mixed", [](const OpCall& call) {
        TaskBuilder builder("mixed");
        const Shape& shape = call.inputs[0].shape;
        const ir::VarRef x = builder.input("x", DType::F32, shape);
        const ir::VarRef sum = over_last(builder, x, "sum", ReduceOp::Sum);
        return builder.finish({sum, builder.compute("mixed", DType::F32, shape, [&](const Indices& i) {
                                   return ir::sub(at(x, i), at(sum, with_last(i, dim(0))));
                               })});
    });
    return op;
}

Graph random_graph(std::mt19937& random, int nodes, const Dim& rows, const Dim& columns) {
    Graph graph;
    const Shape shape = {rows, columns};
    const Shape flat = {ir::mul(rows, columns)};
    std::vector<ValueId> made = {graph.add_input("x", {DType::F32, shape}), graph.add_input("y", {DType::F32, shape})};
    const ValueId weight = graph.add_input("w", {DType::F32, {columns, columns}});
    const auto recent = [&] { return made[made.size() - 1 - random() % std::min<std::size_t>(made.size(), 4)]; };
    const auto one = [&](const OpInfo& op, std::vector<ValueId> inputs) {
        return graph.add_one(op, std::move(inputs));
    };
    const auto reshaped = [&](ValueId x, const Shape& to) {
        return graph.add_one(op_info::Reshape(), {x}, {{"shape", to}});
    };
    const std::function<ValueId()> makers[] = {
        [&] { return one(op_info::Relu(), {recent()}); },
        [&] {
            return one(op_info::Add(), {recent(), recent()});
        },
        [&] {
            return one(op_info::Add(), {recent(), recent()});
        },
        [&] {
            return one(op_info::Add(), {recent(), graph.add_one(ops::SumAndMax(), {recent()})});
        },
        [&] {
            return one(op_info::Matmul(), {recent(), weight});
        },
        [&] { return one(ops::Normalise(), {recent()}); },
        [&] { return one(ops::Exp(), {recent()}); },
        [&] { return one(ops::Double(), {recent()}); },
        [&] { return one(ops::Shift(), {recent()}); },
        [&] { return one(ops::Reverse(), {recent()}); },
        [&] {
            const ValueId x = recent();
            return one(op_info::Add(), {one(ops::Reverse(), {x}), one(ops::Reverse(), {x})});
        },
        [&] {
            const ValueId x = recent();
            return one(op_info::Add(), {one(ops::Reverse(), {x}), x});
        },
        [&] {
            const ValueId x = recent();
            const ValueId y = one(ops::Transpose(), {one(op_info::Relu(), {one(ops::Transpose(), {x})})});
            return random() % 2 ? y : one(op_info::Add(), {x, y});
        },
        [&] { // a square: the result and its transpose have one shape
            const ValueId x = recent();
            const ValueId square = one(op_info::Matmul(), {one(ops::Transpose(), {recent()}), x});
            return one(op_info::Matmul(), {x, one(op_info::Add(), {square, one(ops::Transpose(), {square})})});
        },
        [&] { return reshaped(one(ops::Reverse(), {reshaped(recent(), flat)}), shape); },
        [&] {
            const auto halves = graph.add(ops::Halves(), {recent()});
            return one(op_info::Add(), {halves[random() % 2], halves[1]});
        },
        [&] {
            const auto both = graph.add(ops::SumAndMax(), {recent()});
            return one(op_info::Add(), {recent(), one(op_info::Add(), {both[0], both[1]})});
        },
        [&] { return graph.add(ops::Mixed(), {recent()})[1]; },
    };
    for (int i = 0; i < nodes; ++i)
        made.push_back(makers[random() % std::size(makers)]());
    graph.set_outputs({made.back(), made[made.size() / 2]});
    graph.drop_unused();
    return graph;
}

} // namespace hidet::test
