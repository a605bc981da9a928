// SPDX-License-Identifier: Apache-2.0
// Types of elements: conversions between them, and constants.
#include <algorithm>
#include <limits>

#include "compiler/graph/onnx/conversions.h"

namespace hidet::graph::onnx {

namespace {

// 4-bit integers take a byte each here. Of a float they are the nearest end of the range where it does not fit, of an
// integer the lowest four bits.
Val to_four_bits(NodeCall& node, const Val& x, std::int32_t type) {
    Val source = x;
    if (ir::is_float(x->spec.dtype))
        source =
            node.add(OpId::Clip, {x}, {{"min_val", type == Int4 ? -8.0 : 0.0}, {"max_val", type == Int4 ? 7.0 : 15.0}});
    Val wide = node.cast(source, ir::DType::I32);
    const auto constant = [&](double value) { return node.scalar(ir::DType::I32, value); };
    wide = node.add(OpId::BitwiseAnd, {wide, constant(15)});
    if (type == Int4) {
        wide = node.add(OpId::BitwiseXor, {wide, constant(8)});
        wide = node.add(OpId::Subtract, {wide, constant(8)});
    }
    const Val narrow = node.cast(wide, *dtype_of(type));
    narrow->elem_type = type;
    return narrow;
}

// Roundings to 8-bit floats that no conversion of ours is: values are rounded as f32.
struct Float8 {
    std::int32_t type;
    int mantissa;        // bits
    int lowest_exponent; // of normal numbers
    double largest;
};
constexpr Float8 float8_formats[] = {
    {Float8E4M3FN, 3, -6, 448},
    {Float8E5M2, 2, -14, 57344},
    {Float8E4M3FNUZ, 3, -7, 240},
    {Float8E5M2FNUZ, 2, -15, 57344},
};

// The exponent's bits give the step between neighbours, in whose multiples x is rounded.
Val to_float8(NodeCall& node, const Val& x, const Float8& format, bool saturates) {
    const auto bits = [&](double value) { return node.scalar(ir::DType::U32, value); };
    const auto real = [&](double value) { return node.scalar(ir::DType::F32, value); };
    const Val encoded = node.add(OpId::View, {x}, {{"dtype", ir::DType::U32}});
    const Val exponent = node.add(OpId::BitwiseAnd, {node.add(OpId::RightShift, {encoded, bits(23)}), bits(255)});
    const Val kept = node.add(OpId::Max, {exponent, bits(format.lowest_exponent + 127)});
    const Val step_bits =
        node.add(OpId::LeftShift, {node.add(OpId::Subtract, {kept, bits(format.mantissa)}), bits(23)});
    const Val step = node.add(OpId::View, {step_bits}, {{"dtype", ir::DType::F32}});
    const Val nearest = node.add(OpId::Multiply, {node.add(OpId::Round, {node.add(OpId::Divide, {x, step})}), step});
    const Val nan = real(std::numeric_limits<double>::quiet_NaN());
    const Val negative = node.add(OpId::Less, {x, real(0)});
    const Val end = node.add(OpId::Where, {negative, real(-format.largest), real(format.largest)});
    const Val is_large = node.add(OpId::Greater, {node.add(OpId::Abs, {nearest}), real(format.largest)});
    const Val bounded = node.add(OpId::Where, {is_large, saturates ? end : nan, nearest});
    const Val finite = node.add(OpId::Where, {node.add(OpId::IsInf, {x}), saturates ? end : nan, bounded});
    return node.add(OpId::Where, {node.add(OpId::IsNan, {x}), nan, finite});
}

// What is too large becomes an infinity. Conversions of ours saturate, so its bits are put in afterwards.
Val to_float8_with_infinities(NodeCall& node, const Val& x, const Float8& format) {
    const auto bits = [&](double value) { return node.scalar(ir::DType::U8, value); };
    const Val bounded = node.add(OpId::View, {node.cast(x, ir::DType::F8E5M2)}, {{"dtype", ir::DType::U8}});
    const Val is_number = node.add(OpId::LogicalNot, {node.add(OpId::IsNan, {x})});
    const Val rounded = to_float8(node, x, format, false);
    const Val is_large = node.add(OpId::LogicalAnd, {node.add(OpId::IsNan, {rounded}), is_number});
    const Val negative = node.add(OpId::Less, {x, node.scalar(ir::DType::F32, 0)});
    const Val infinity = node.add(OpId::Where, {negative, bits(0xFC), bits(0x7C)});
    const Val encoded = node.add(OpId::Where, {is_large, infinity, bounded});
    return node.add(OpId::View, {encoded}, {{"dtype", ir::DType::F8E5M2}});
}

Vals converted(NodeCall& node, std::int32_t type) {
    if (type == Int4 || type == Uint4)
        return {to_four_bits(node, node.in(), type)};
    const std::optional<ir::DType> dtype = dtype_of(type);
    if (!dtype)
        throw OpError("tensors of " + elem_type_name(type) + " are not supported");
    const bool saturates = node.i("saturate", 1) != 0;
    const bool has_no_type = type == Float8E4M3FNUZ || type == Float8E5M2FNUZ;
    if (!has_no_type && (saturates || (type != Float8E4M3FN && type != Float8E5M2)))
        return {node.cast(node.in(), *dtype)};
    const auto* format = std::ranges::find(float8_formats, type, &Float8::type);
    const Val x = node.cast(node.in(), ir::DType::F32);
    if (type == Float8E5M2)
        return {to_float8_with_infinities(node, x, *format)};
    const Val rounded = to_float8(node, x, *format, saturates);
    const Val result = node.cast(rounded, *dtype);
    result->elem_type = type;
    return {result};
}

bool is_held_otherwise(std::int32_t type) {
    return type == Int4 || type == Uint4 || type == Float8E4M3FNUZ || type == Float8E5M2FNUZ;
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
    return converted(node, is_held_otherwise(given) ? given : elem_type_of(node.dtype(1)));
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
