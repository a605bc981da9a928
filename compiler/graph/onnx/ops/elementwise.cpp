// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "compiler/graph/onnx/conversions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

// Before version 7 the right operand was aligned by hand.
Val aligned(NodeCall& node, const Val& x, const Val& y) {
    if (node.opset() >= 7 || node.i("broadcast", 0) == 0 || !node.has_attribute("axis"))
        return y;
    const std::size_t rank = x->spec.shape.size();
    const auto axis = static_cast<std::size_t>(normalise_axis(node.i("axis"), rank, "axis"));
    Shape shape = y->spec.shape;
    while (axis + shape.size() < rank)
        shape.push_back(dim(1));
    return node.reshape(y, shape);
}

} // namespace

Vals same(NodeCall& node, OpId op) {
    return node.add_all(op, node.present());
}

Vals binary(NodeCall& node, OpId op) {
    return {node.add(op, {node.in(0), aligned(node, node.in(0), node.in(1))})};
}

Vals identity(NodeCall& node) {
    return {node.has(0) ? node.inputs()[0] : node.in()}; // a sequence, too
}

Vals power(NodeCall& node) {
    const Val y = aligned(node, node.in(0), node.in(1));
    return {node.cast(node.add(OpId::Pow, {node.in(0), y}), node.dtype())};
}

Vals mod(NodeCall& node) {
    return {node.add(OpId::Mod, {node.in(0), node.in(1)}, {{"fmod", node.i("fmod", 0) != 0}})};
}

Vals bit_shift(NodeCall& node) {
    const std::string direction = node.s("direction", "");
    if (direction != "LEFT" && direction != "RIGHT")
        throw OpError("direction '", direction, "' is neither LEFT nor RIGHT");
    return {node.add(direction == "LEFT" ? OpId::LeftShift : OpId::RightShift, {node.in(0), node.in(1)})};
}

Vals clip_by_attributes(NodeCall& node) {
    const double infinity = std::numeric_limits<double>::infinity();
    return {node.add(OpId::Clip, {node.in()},
                     {{"min_val", node.f("min", -infinity)}, {"max_val", node.f("max", infinity)}})};
}

// First the lower bound: where they cross, the upper one wins.
Vals clip(NodeCall& node) {
    Val x = node.in();
    const bool is_float = ir::is_float(node.dtype());
    const auto is_constant = [&](std::size_t i) {
        return !node.has(i) || (node.in(i)->data && node.in(i)->data->count() == 1);
    };
    if (is_float && is_constant(1) && is_constant(2)) {
        const double infinity = std::numeric_limits<double>::infinity();
        return {node.add(OpId::Clip, {x},
                         {{"min_val", node.has(1) ? node.number_in(1) : -infinity},
                          {"max_val", node.has(2) ? node.number_in(2) : infinity}})};
    }
    if (node.has(1))
        x = node.add(OpId::Max, {x, node.in(1)});
    if (node.has(2))
        x = node.add(OpId::Min, {x, node.in(2)});
    return {x};
}

Vals selu(NodeCall& node) {
    const bool is_old = node.opset() < 6;
    return {node.add(OpId::Selu, {node.in()},
                     {{"alpha", node.f("alpha", is_old ? 1.6732 : 1.67326319217681884765625)},
                      {"gamma", node.f("gamma", is_old ? 1.0507 : 1.05070102214813232421875)}})};
}
Vals gelu(NodeCall& node) {
    return {node.add(OpId::Gelu, {node.in()}, {{"approximate", node.s("approximate", "none") == "tanh"}})};
}

Vals swish(NodeCall& node) {
    const double alpha = node.f("alpha", 1);
    if (alpha == 1)
        return {node.add(OpId::Silu, {node.in()})};
    const Val scaled = node.add(OpId::MultiplyScalar, {node.in()}, {{"scalar", alpha}});
    return {node.add(OpId::Multiply, {node.in(), node.add(OpId::Sigmoid, {scaled})})};
}

// The gate is not broadcast to what it gates.
Vals swiglu(NodeCall& node) {
    const Shape& gate = node.shape(0);
    const Shape& value = node.shape(1);
    if (differ(gate, value))
        throw OpError("A is of shape ", text_of(gate), " and B of ", text_of(value),
                      ", where the standard wants one shape");
    return {node.add(OpId::Multiply, {swish(node)[0], node.in(1)})};
}

Vals sum(NodeCall& node) {
    Val total = node.in(0);
    for (std::size_t i = 1; i < node.count(); ++i)
        total = node.add(OpId::Add, {total, node.in(i)});
    return {total};
}

Vals mean(NodeCall& node) {
    const Val total = sum(node)[0];
    return {node.add(OpId::Divide, {total, node.scalar(total->spec.dtype, static_cast<double>(node.count()))})};
}

Vals extreme(NodeCall& node, OpId op) {
    return {node.count() == 1 ? node.in() : node.add(op, node.inputs())};
}

// Without training everything is kept.
Vals dropout(NodeCall& node) {
    if (node.has(2)) {
        const Ints training = node.ints_in(2);
        if (training.size() != 1)
            throw OpError("training_mode is not one bool");
        if (training[0] != 0 && !(node.has(1) && node.in(1)->data && node.number_in(1) == 0))
            throw OpError("training is not supported");
    }
    Vals results = {node.in()};
    if (node.wants_output(1))
        results.push_back(node.full(node.shape(), 1, node.opset() < 10 ? node.dtype() : ir::DType::Bool));
    return results;
}

} // namespace hidet::graph::onnx
