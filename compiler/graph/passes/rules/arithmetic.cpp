// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "compiler/graph/core/data.h"
#include "compiler/graph/passes/rules/rules.h"
#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

const lang::Tensor& data_of(const Rewriting& rewriting, ValueId constant) {
    return *rewriting.graph.value(constant).data;
}

bool is_float(const Rewriting& rewriting, ValueId value) {
    return ir::is_float(rewriting.spec(value).dtype);
}

bool is_all(const lang::Tensor& tensor, double wanted) {
    for (double value : lang::read_doubles(tensor))
        if (value != wanted || (value == 0 && std::signbit(value) != std::signbit(wanted)))
            return false;
    return true;
}

// A broadcast to it repeats nothing: it is the shape behind extents of 1.
bool has_elements_of(const Shape& broadcast, const Shape& shape) {
    const std::size_t before = broadcast.size() - shape.size();
    const auto leading = broadcast.begin() + static_cast<std::ptrdiff_t>(before);
    return std::all_of(broadcast.begin(), leading,
                       [](const ir::ExprRef& extent) { return ir::is_constant(extent, 1); }) &&
           same_shape(Shape(leading, broadcast.end()), shape);
}

} // namespace

bool scalar_to_constant(Rewriting& rewriting, NodeId root) {
    const ValueId x = rewriting.input(root, 0);
    const Attribute* scalar = rewriting.attributes(root).find("scalar");
    if (!scalar || !is_float(rewriting, x))
        return false;
    const auto* real = std::get_if<double>(scalar);
    const auto* whole = std::get_if<std::int64_t>(scalar);
    if (!real && !whole)
        return false;
    const double value = real ? *real : static_cast<double>(*whole);
    const ValueId c = rewriting.number(value, rewriting.spec(x).dtype);
    const OpId id = rewriting.graph.node(root).op->id;
    const bool is_left = is_any_of(id, {OpId::RSubScalar, OpId::RDivideScalar});
    const OpId op = id == OpId::AddScalar                                      ? OpId::Add
                    : id == OpId::MultiplyScalar                               ? OpId::Multiply
                    : is_any_of(id, {OpId::DivideScalar, OpId::RDivideScalar}) ? OpId::Divide
                                                                               : OpId::Subtract;
    const ValueId y = is_left ? rewriting.add(op, {c, x}) : rewriting.add(op, {x, c});
    return rewriting.becomes(root, y);
}

bool constant_to_right(Rewriting& rewriting, NodeId root) {
    const auto found = constant_operand(rewriting, root);
    if (!found || !found->is_left)
        return false;
    const ValueId y = rewriting.add(rewriting.graph.node(root).op->id, {found->x, found->constant});
    return rewriting.becomes(root, y);
}

bool drop_neutral(Rewriting& rewriting, NodeId root) {
    const auto found = constant_operand(rewriting, root);
    if (!found || found->is_left || rewriting.element_count_of(found->constant) > 1 << 16)
        return false;
    const TensorSpec& result = rewriting.spec(rewriting.output(root));
    const TensorSpec& x = rewriting.spec(found->x);
    if (result.dtype != x.dtype || !has_elements_of(result.shape, x.shape))
        return false;
    // x + 0 is not x where x is -0; x + -0 and x - 0 are.
    const bool is_product = rewriting.is(root, OpId::Multiply) || rewriting.is(root, OpId::Divide);
    const double neutral = is_product ? 1.0 : rewriting.is(root, OpId::Add) && ir::is_float(x.dtype) ? -0.0 : 0.0;
    if (!is_all(data_of(rewriting, found->constant), neutral))
        return false;
    return rewriting.becomes(root, reshaped_to(rewriting, found->x, result.shape));
}

bool subtract_to_add(Rewriting& rewriting, NodeId root) {
    const auto found = constant_operand(rewriting, root);
    if (!found || found->is_left || rewriting.spec(found->x).dtype != rewriting.spec(found->constant).dtype ||
        !(is_float(rewriting, found->x) || ir::is_signed(rewriting.spec(found->x).dtype)))
        return false;
    const ValueId negated = rewriting.add(OpId::Negative, {found->constant});
    return rewriting.becomes(root, rewriting.add(OpId::Add, {found->x, negated}));
}

bool add_constants(Rewriting& rewriting, NodeId root) {
    const auto outer = constant_operand(rewriting, root);
    const NodeId sum = outer ? rewriting.made_by(outer->x, OpId::Add) : NodeId();
    const auto inner = sum.valid() ? constant_operand(rewriting, sum) : std::nullopt;
    if (!inner || rewriting.spec(inner->x).dtype != rewriting.spec(outer->constant).dtype ||
        !is_ordinary_addend(data_of(rewriting, inner->constant)) ||
        !is_ordinary_addend(data_of(rewriting, outer->constant)))
        return false;
    const ValueId both = rewriting.add(OpId::Add, {inner->constant, outer->constant});
    return rewriting.becomes(root, rewriting.add(OpId::Add, {inner->x, both}));
}

bool scale_sum(Rewriting& rewriting, NodeId root) {
    const auto scaled = constant_operand(rewriting, root);
    const NodeId sum = scaled ? rewriting.made_by(scaled->x, OpId::Add) : NodeId();
    const auto biased = sum.valid() ? constant_operand(rewriting, sum) : std::nullopt;
    if (!biased || !rewriting.only_reader(scaled->x, root) || !is_float(rewriting, biased->x))
        return false;
    const NodeId producer = rewriting.graph.value(biased->x).producer;
    if (!is_contraction(rewriting, producer) || !rewriting.only_reader(biased->x, sum) ||
        !rewriting.is_constant(rewriting.input(producer, 1)))
        return false;
    const ValueId bias = rewriting.add(OpId::Multiply, {biased->constant, scaled->constant});
    if (!rewriting.is_constant(bias) || !is_finite(data_of(rewriting, bias)))
        return false;
    const ValueId product = rewriting.add(OpId::Multiply, {biased->x, scaled->constant});
    return rewriting.becomes(root, rewriting.add(OpId::Add, {product, bias}));
}

bool gather_constants(Rewriting& rewriting, NodeId root) {
    const NodeId left = rewriting.made_by(rewriting.input(root, 0), OpId::Add);
    const NodeId right = rewriting.made_by(rewriting.input(root, 1), OpId::Add);
    if (!left.valid() || !right.valid() || left == right)
        return false;
    const auto a = constant_operand(rewriting, left);
    const auto b = constant_operand(rewriting, right);
    if (!a || !b || !rewriting.only_reader(rewriting.output(left), root) ||
        !rewriting.only_reader(rewriting.output(right), root))
        return false;
    const ValueId constants = rewriting.add(OpId::Add, {a->constant, b->constant});
    return rewriting.becomes(root, rewriting.add(OpId::Add, {rewriting.add(OpId::Add, {a->x, b->x}), constants}));
}

} // namespace hidet::graph
