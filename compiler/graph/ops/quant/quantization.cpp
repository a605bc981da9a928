// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/quant/quantization.h"

#include <algorithm>
#include <functional>

#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

bool is_single(const Shape& shape) {
    for (const Dim& each : shape)
        if (!ir::is_constant(each, 1))
            return false;
    return true;
}

} // namespace

Granularity::Granularity(const OpCall& call, const std::string& name) {
    const Shape& x = call.inputs[0].shape;
    const Shape& scale = call.inputs[1].shape;
    block_size = call.attributes.get<std::int64_t>("block_size");
    if (block_size < 0)
        throw OpError(name + " wants a block size that is not negative, not " + std::to_string(block_size));
    const auto differ = [](const Dim& a, const Dim& b) { return constant_of(a) && constant_of(b) && !same_dim(a, b); };
    if (call.inputs.size() > 2) {
        const Shape& zero = call.inputs[2].shape;
        const bool are_alike = std::ranges::equal(zero, scale, std::not_fn(differ));
        if (!are_alike && !(is_single(zero) && is_single(scale)))
            throw OpError(name + ": a zero point of shape " + text_of(zero) + " does not go with a scale of shape " +
                          text_of(scale));
    }
    if (is_single(scale) && block_size == 0)
        return;
    axis = static_cast<std::size_t>(normalise_axis(call.attributes.get<std::int64_t>("axis"), x.size(), "axis"));
    bool fits = scale.size() == (block_size > 0 ? x.size() : 1);
    for (std::size_t d = 0; fits && d < scale.size(); ++d) {
        const Dim wanted = block_size == 0 ? x[axis] : d == axis ? simplified(ceil_div(x[d], dim(block_size))) : x[d];
        fits = !differ(scale[d], wanted);
    }
    if (!fits)
        throw OpError(name + ": a scale of shape " + text_of(scale) + " is not one for " + text_of(call.inputs[0]) +
                      " along axis " + std::to_string(axis));
}

Indices Granularity::index(const Shape& parameter, const Indices& axes) const {
    if (is_single(parameter) && block_size == 0)
        return Indices(parameter.size(), dim(0));
    if (block_size == 0)
        return {axes[axis]};
    Indices index = axes;
    index[axis] = ir::floor_div(axes[axis], dim(block_size));
    return index;
}

ir::DType stored_as(ir::DType dtype) {
    if (dtype == ir::DType::I4)
        return ir::DType::I8;
    return dtype == ir::DType::U4 ? ir::DType::U8 : dtype;
}

Expr quantised(const Expr& value, const Expr& zero_point, ir::DType dtype) {
    const ir::DType real = *ir::scalar_of(value->type);
    if (ir::is_float(dtype))
        return ir::cast_to(zero_point ? ir::add(value, ir::cast_to(zero_point, real)) : value, dtype);
    const ir::IntegerRange range = ir::integer_range(dtype);
    Expr result = round_half_even(value);
    if (zero_point)
        result = ir::add(result, ir::cast_to(zero_point, real));
    const Expr low = number(static_cast<double>(range.lowest), real);
    const Expr high = number(static_cast<double>(range.highest), real);
    result = ir::select(ir::less(result, low), low, ir::select(ir::less(high, result), high, result));
    return ir::cast_to(result, stored_as(dtype));
}

} // namespace hidet::graph
