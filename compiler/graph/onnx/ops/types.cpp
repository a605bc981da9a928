// SPDX-License-Identifier: Apache-2.0
// Types of elements: conversions between them, and constants.
#include "compiler/graph/onnx/ops/types.h"

#include <algorithm>
#include <limits>

#include "compiler/graph/onnx/conversions.h"

namespace hidet::graph::onnx {

namespace {

// Integers of 4 and 2 bits take a byte each here. They are the lowest bits of what is converted.
Val to_few_bits(NodeCall& node, const Val& x, std::int32_t type) {
    const int bits = type == Int4 || type == Uint4 ? 4 : 2;
    const auto constant = [&](int value) { return node.scalar(ir::DType::I32, value); };
    Val wide = node.add(OpId::BitwiseAnd, {node.cast(x, ir::DType::I32), constant((1 << bits) - 1)});
    if (type == Int4 || type == Int2) {
        const int sign = 1 << (bits - 1);
        wide = node.add(OpId::BitwiseXor, {wide, constant(sign)});
        wide = node.add(OpId::Subtract, {wide, constant(sign)});
    }
    return node.cast(wide, *dtype_of(type));
}

// Roundings to small floats that no conversion of ours is: values are rounded as f32.
struct SmallFloat {
    std::int32_t type;
    int mantissa;        // bits
    int lowest_exponent; // of normal numbers
    double largest;
};
constexpr SmallFloat small_floats[] = {
    {Float8E4M3FN, 3, -6, 448},      {Float8E5M2, 2, -14, 57344}, {Float8E4M3FNUZ, 3, -7, 240},
    {Float8E5M2FNUZ, 2, -15, 57344}, {Float4E2M1, 1, 0, 6},
};

// The exponent's bits give the step between neighbours, in whose multiples x is rounded.
Val to_small_float(NodeCall& node, const Val& x, const SmallFloat& format, bool saturates) {
    const auto bits = [&](double value) { return node.scalar(ir::DType::U32, value); };
    const auto real = [&](double value) { return node.scalar(ir::DType::F32, value); };
    const Val encoded = node.add(OpId::View, {x}, {{"dtype", ir::DType::U32}});
    const Val exponent = node.add(OpId::BitwiseAnd, {node.add(OpId::RightShift, {encoded, bits(23)}), bits(255)});
    const Val kept = node.add(OpId::Max, {exponent, bits(format.lowest_exponent + 127)});
    const Val step_bits =
        node.add(OpId::LeftShift, {node.add(OpId::Subtract, {kept, bits(format.mantissa)}), bits(23)});
    const Val step = node.add(OpId::View, {step_bits}, {{"dtype", ir::DType::F32}});
    const Val nearest = node.add(OpId::Multiply, {node.add(OpId::Round, {node.add(OpId::Divide, {x, step})}), step});
    // Four bits have no NaN.
    const Val nan = real(format.type == Float4E2M1 ? 0 : std::numeric_limits<double>::quiet_NaN());
    const Val negative = node.add(OpId::Less, {x, real(0)});
    const Val end = node.add(OpId::Where, {negative, real(-format.largest), real(format.largest)});
    const Val is_large = node.add(OpId::Greater, {node.add(OpId::Abs, {nearest}), real(format.largest)});
    const Val bounded = node.add(OpId::Where, {is_large, saturates ? end : nan, nearest});
    const Val finite = node.add(OpId::Where, {node.add(OpId::IsInf, {x}), saturates ? end : nan, bounded});
    return node.add(OpId::Where, {node.add(OpId::IsNan, {x}), nan, finite});
}

// What is too large becomes an infinity. Conversions of ours saturate, so its bits are put in afterwards.
Val to_small_float_with_infinities(NodeCall& node, const Val& x, const SmallFloat& format) {
    const auto bits = [&](double value) { return node.scalar(ir::DType::U8, value); };
    const Val bounded = node.add(OpId::View, {node.cast(x, ir::DType::F8E5M2)}, {{"dtype", ir::DType::U8}});
    const Val is_number = node.add(OpId::LogicalNot, {node.add(OpId::IsNan, {x})});
    const Val rounded = to_small_float(node, x, format, false);
    const Val is_large = node.add(OpId::LogicalAnd, {node.add(OpId::IsNan, {rounded}), is_number});
    const Val negative = node.add(OpId::Less, {x, node.scalar(ir::DType::F32, 0)});
    const Val infinity = node.add(OpId::Where, {negative, bits(0xFC), bits(0x7C)});
    const Val encoded = node.add(OpId::Where, {is_large, infinity, bounded});
    return node.add(OpId::View, {encoded}, {{"dtype", ir::DType::F8E5M2}});
}

// A power of two, and no sign: the exponent of a float32, whose fraction moves it or not.
Val to_power_of_two(NodeCall& node, const Val& x, const Narrowing& how) {
    const auto bits = [&](double value) { return node.scalar(ir::DType::U32, value); };
    const Val encoded = node.add(OpId::View, {x}, {{"dtype", ir::DType::U32}});
    const Val exponent = node.add(OpId::BitwiseAnd, {node.add(OpId::RightShift, {encoded, bits(23)}), bits(255)});
    const Val fraction = node.add(OpId::BitwiseAnd, {encoded, bits(0x7FFFFF)});
    Val rounded = exponent;
    if (how.round_mode != "down") {
        // Half way is up, but from the least one.
        const Val least =
            how.round_mode == "up"
                ? bits(1)
                : node.add(OpId::Where, {node.add(OpId::Equal, {exponent, bits(0)}), bits(0x400001), bits(0x400000)});
        const Val moves = node.add(OpId::GreaterEqual, {fraction, least});
        rounded = node.add(OpId::Where, {moves, node.add(OpId::Add, {exponent, bits(1)}), exponent});
    }
    const Val largest = bits(how.saturates ? 254 : 255);
    const Val kept = node.add(OpId::Min, {rounded, largest});
    const Val whole = node.add(OpId::LeftShift, {kept, bits(23)});
    const Val value = node.add(OpId::Where, {node.add(OpId::Equal, {kept, bits(0)}), bits(0x400000), whole});
    const Val result = node.add(OpId::View, {value}, {{"dtype", ir::DType::F32}});
    const Val nan = node.scalar(ir::DType::F32, std::numeric_limits<double>::quiet_NaN());
    const Val is_nan = how.saturates ? node.add(OpId::IsNan, {x}) : node.add(OpId::Equal, {kept, bits(255)});
    return node.add(OpId::Where, {is_nan, nan, result});
}

bool is_held_otherwise(std::int32_t type) {
    constexpr std::int32_t types[] = {Int4, Uint4, Int2, Uint2, Float4E2M1, Float8E8M0, Float8E4M3FNUZ, Float8E5M2FNUZ};
    return std::ranges::find(types, type) != std::end(types);
}

Val held(NodeCall& node, const Val& x, std::int32_t type, const Narrowing& how) {
    if (type == Int4 || type == Uint4 || type == Int2 || type == Uint2)
        return to_few_bits(node, x, type);
    const Val wide = node.cast(x, ir::DType::F32);
    if (type == Float8E8M0)
        return to_power_of_two(node, wide, how);
    const auto* format = std::ranges::find(small_floats, type, &SmallFloat::type);
    if (type == Float8E5M2)
        return to_small_float_with_infinities(node, wide, *format);
    return node.cast(to_small_float(node, wide, *format, how.saturates || type == Float4E2M1), *dtype_of(type));
}

Narrowing narrowing_of(const NodeCall& node) {
    Narrowing how{node.i("saturate", 1) != 0, node.s("round_mode", "up")};
    if (how.round_mode != "up" && how.round_mode != "down" && how.round_mode != "nearest")
        throw OpError("round_mode '", how.round_mode, "' is not up, down or nearest");
    return how;
}

// The same elements, where what they were held for was another type.
Val known_as(const Val& x, std::int32_t type) {
    if (x->elem_type == Undefined || x->elem_type == type)
        return x;
    Val result = std::make_shared<ValueState>(*x);
    result->elem_type = type;
    return result;
}

lang::TensorRef tensor_of(const std::vector<float>& values, const std::vector<std::int64_t>& shape) {
    lang::TensorRef tensor = make_tensor(ir::DType::F32, shape);
    std::copy(values.begin(), values.end(), reinterpret_cast<float*>(tensor->data()));
    return tensor;
}

} // namespace

Val converted(NodeCall& node, const Val& x, std::int32_t type, const Narrowing& how) {
    const std::optional<ir::DType> dtype = dtype_of(type);
    if (!dtype)
        throw OpError("tensors of ", elem_type_name(type), " are not supported");
    const bool has_own_rule = !how.saturates && (type == Float8E4M3FN || type == Float8E5M2);
    if (!has_own_rule && !is_held_otherwise(type))
        return known_as(node.cast(x, *dtype), type);
    const Val result = held(node, x, type, how);
    result->elem_type = type;
    return result;
}

Vals cast(NodeCall& node) {
    return {converted(node, node.in(), static_cast<std::int32_t>(node.i("to")), narrowing_of(node))};
}

Vals bit_cast(NodeCall& node) {
    const auto type = static_cast<std::int32_t>(node.i("to"));
    for (const std::int32_t each : {type, node.in()->elem_type})
        if (is_held_otherwise(each))
            throw OpError("the bits of tensors of ", elem_type_name(each), " are not supported");
    const ir::DType to = node.type("to", type);
    return {to == node.dtype() ? node.in() : node.add(OpId::View, {node.in()}, {{"dtype", to}})};
}

Vals cast_like(NodeCall& node) {
    const std::int32_t given = node.in(1)->elem_type;
    const std::int32_t type = is_held_otherwise(given) ? given : elem_type_of(node.dtype(1));
    return {converted(node, node.in(), type, narrowing_of(node))};
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
        case Attribute::Kind::Int: return {node.builder().constant(make_int(each.i))};
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
            throw OpError("the shape ", text_of(shape), " has a negative dimension");
    const Attribute* value = node.attribute("value");
    if (!value)
        return {node.full(shape, 0, ir::DType::F32)};
    if (!value->t || !value->t->data || value->t->data->count() != 1)
        throw OpError("the value is not a tensor of one element");
    return {node.broadcast(node.reshape(node.builder().constant(value->t->data), {}), shape)};
}

} // namespace hidet::graph::onnx
