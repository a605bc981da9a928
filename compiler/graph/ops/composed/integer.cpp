// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/composed/integer.h"

#include "compiler/graph/ops/composed/norms.h"
#include "compiler/graph/ops/contraction/convolution.h"
#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph {

namespace {

ValueId cast(Graph& graph, ValueId value, ir::DType dtype, const NodeOrigin& origin) {
    return graph.value(value).spec.dtype == dtype ? value
                                                  : graph.add_one(op_info::Cast(), {value}, {{"dtype", dtype}}, origin);
}

std::size_t rank_of(Graph& graph, ValueId value) {
    return graph.value(value).spec.shape.size();
}

ValueId unsqueezed(Graph& graph, ValueId value, Ints dims, const NodeOrigin& origin) {
    return graph.add_one(op_info::Unsqueeze(), {value}, {{"dims", std::move(dims)}}, origin);
}

// One dimension of one element counts as none.
bool is_vector(Graph& graph, ValueId value) {
    const Shape& shape = graph.value(value).spec.shape;
    return shape.size() == 1 && !ir::is_constant(shape[0], 1);
}

ValueId per_row(Graph& graph, ValueId value, std::size_t rank, const NodeOrigin& origin) {
    return rank >= 2 && is_vector(graph, value) ? unsqueezed(graph, value, {-1}, origin) : value;
}

ValueId first_of_weight(Graph& graph, ValueId value, std::size_t rank, const NodeOrigin& origin) {
    if (!is_vector(graph, value))
        return value;
    Ints dims;
    for (std::size_t d = 1; d < rank; ++d)
        dims.push_back(static_cast<std::int64_t>(d));
    return unsqueezed(graph, value, dims, origin);
}

ValueId centred(Graph& graph, ValueId values, std::optional<ValueId> zero_point, const NodeOrigin& origin) {
    const ValueId wide = cast(graph, values, ir::DType::I32, origin);
    if (!zero_point)
        return wide;
    const ValueId zero = cast(graph, *zero_point, ir::DType::I32, origin);
    return graph.add_one(op_info::Subtract(), {wide, zero}, {}, origin);
}

// The sums times the scales of both factors over that of the result, as bytes.
ValueId requantised(Graph& graph, ValueId sums, ValueId scales, const Quantised& y, const NodeOrigin& origin) {
    const ValueId sum = cast(graph, sums, ir::DType::F32, origin);
    const ValueId own = cast(graph, *y.scale, ir::DType::F32, origin);
    const ValueId factor = graph.add_one(op_info::Divide(), {scales, own}, {}, origin);
    const ValueId product = graph.add_one(op_info::Multiply(), {sum, factor}, {}, origin);
    const ValueId one = graph.add_constant(host_tensor(ir::DType::F32, {}, std::vector<double>{1}));
    std::vector<ValueId> inputs = {product, one};
    if (y.zero_point)
        inputs.push_back(*y.zero_point);
    return graph.add_one(op_info::QuantizeLinear(), inputs, {}, origin);
}

ValueId product_of_scales(Graph& graph, ValueId a, ValueId b, const NodeOrigin& origin) {
    const ValueId left = cast(graph, a, ir::DType::F32, origin);
    const ValueId right = cast(graph, b, ir::DType::F32, origin);
    return graph.add_one(op_info::Multiply(), {left, right}, {}, origin);
}

} // namespace

ValueId matmul_integer(Graph& graph, const Quantised& a, const Quantised& b, const NodeOrigin& origin) {
    std::optional<ValueId> rows = a.zero_point;
    if (rows)
        rows = per_row(graph, *rows, rank_of(graph, a.values), origin);
    const ValueId left = centred(graph, a.values, rows, origin);
    const ValueId right = centred(graph, b.values, b.zero_point, origin);
    return graph.add_one(op_info::Matmul(), {left, right}, {}, origin);
}

ValueId conv_integer(Graph& graph, const Quantised& x, const Quantised& w, Attributes attributes,
                     const NodeOrigin& origin) {
    const std::size_t rank = rank_of(graph, w.values);
    std::optional<ValueId> zero = w.zero_point;
    if (zero)
        zero = first_of_weight(graph, *zero, rank, origin);
    const ValueId picture = centred(graph, x.values, x.zero_point, origin);
    const ValueId weight = centred(graph, w.values, zero, origin);
    return graph.add_one(convolution_op(rank < 2 ? 0 : rank - 2), {picture, weight}, std::move(attributes), origin);
}

ValueId qlinear_matmul(Graph& graph, const Quantised& a, const Quantised& b, const Quantised& y,
                       const NodeOrigin& origin) {
    const ValueId sums = matmul_integer(graph, a, b, origin);
    const ValueId left = per_row(graph, *a.scale, rank_of(graph, a.values), origin);
    return requantised(graph, sums, product_of_scales(graph, left, *b.scale, origin), y, origin);
}

ValueId qlinear_conv(Graph& graph, const Quantised& x, const Quantised& w, const Quantised& y,
                     std::optional<ValueId> bias, Attributes attributes, const NodeOrigin& origin) {
    ValueId sums = conv_integer(graph, x, w, std::move(attributes), origin);
    const std::size_t rank = rank_of(graph, w.values);
    if (bias)
        sums = graph.add_one(op_info::Add(), {sums, per_channel(graph, *bias, rank, origin)}, {}, origin);
    ValueId scale = product_of_scales(graph, *x.scale, *w.scale, origin);
    if (is_vector(graph, scale))
        scale = per_channel(graph, scale, rank, origin);
    return requantised(graph, sums, scale, y, origin);
}

} // namespace hidet::graph
