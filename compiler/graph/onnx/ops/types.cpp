// SPDX-License-Identifier: Apache-2.0
// Types of elements: conversions between them, and constants.
#include "compiler/graph/onnx/conversions.h"

namespace hidet::graph::onnx {

namespace {

// 4-bit integers take a byte each here. Of a float they are the nearest end of the range where it does not fit, of an
// integer the lowest four bits.
Val to_four_bits(NodeCall& node, const Val& x, std::int32_t type) {
    Val source = x;
    if (ir::is_float(x->spec.dtype))
        source =
            node.add("Clip", {x}, {{"min_val", type == Int4 ? -8.0 : 0.0}, {"max_val", type == Int4 ? 7.0 : 15.0}});
    Val wide = node.cast(source, ir::DType::I32);
    const auto constant = [&](double value) { return node.scalar(ir::DType::I32, value); };
    wide = node.add("BitwiseAnd", {wide, constant(15)});
    if (type == Int4) {
        wide = node.add("BitwiseXor", {wide, constant(8)});
        wide = node.add("Subtract", {wide, constant(8)});
    }
    const Val narrow = node.cast(wide, *dtype_of(type));
    narrow->elem_type = type;
    return narrow;
}

Vals converted(NodeCall& node, std::int32_t type) {
    if (type == Int4 || type == Uint4)
        return {to_four_bits(node, node.in(), type)};
    const std::optional<ir::DType> dtype = dtype_of(type);
    if (!dtype)
        throw OpError("tensors of " + elem_type_name(type) + " are not supported");
    if (node.i("saturate", 1) == 0 && (type == Float8E4M3FN || type == Float8E5M2))
        throw OpError("conversions to " + elem_type_name(type) + " that do not saturate are not supported");
    return {node.cast(node.in(), *dtype)};
}

lang::TensorRef tensor_of(const std::vector<float>& values, const std::vector<std::int64_t>& shape) {
    lang::TensorRef tensor = make_tensor(ir::DType::F32, shape);
    std::copy(values.begin(), values.end(), reinterpret_cast<float*>(tensor->data()));
    return tensor;
}

} // namespace

Vals cast(NodeCall& node) {
    return converted(node, static_cast<std::int32_t>(node.i("to")));
}

Vals cast_like(NodeCall& node) {
    const std::int32_t given = node.in(1)->elem_type;
    return converted(node, given == Int4 || given == Uint4 ? given : elem_type_of(node.dtype(1)));
}

Vals constant(NodeCall& node) {
    for (const Attribute& each : node.node().attributes) {
        switch (each.kind) {
        case Attribute::Kind::Tensor: {
            if (!each.t->data)
                throw OpError(each.t->problem.empty()
                                  ? "tensors of " + elem_type_name(each.t->type) + " are not supported"
                                  : "the tensor cannot be read: " + each.t->problem);
            const Val value = node.builder().constant(each.t->data);
            value->elem_type = each.t->type;
            return {value};
        }
        case Attribute::Kind::Float: return {node.builder().constant(tensor_of({each.f}, {}))};
        case Attribute::Kind::Floats:
            return {node.builder().constant(tensor_of(each.floats, {static_cast<std::int64_t>(each.floats.size())}))};
        case Attribute::Kind::Ints: return {node.builder().ints(each.ints)};
        case Attribute::Kind::Int: {
            lang::TensorRef scalar = make_ints({each.i});
            scalar->shape.clear();
            return {node.builder().constant(scalar)};
        }
        case Attribute::Kind::String:
        case Attribute::Kind::Strings: throw OpError("tensors of strings are not supported");
        default: break;
        }
    }
    throw OpError("the constant has no value");
}

Vals constant_of_shape(NodeCall& node) {
    const Shape shape = node.dims_in(0);
    for (const Dim& each : shape)
        if (const auto extent = constant_of(each); extent && *extent < 0)
            throw OpError("the shape " + text_of(shape) + " has a negative dimension");
    const Attribute* value = node.attribute("value");
    if (!value)
        return {node.full(shape, 0, ir::DType::F32)};
    if (!value->t || !value->t->data || value->t->data->count() != 1)
        throw OpError("the value is not a tensor of one element");
    return {node.broadcast(node.reshape(node.builder().constant(value->t->data), {}), shape)};
}

} // namespace hidet::graph::onnx
