// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/contraction/window.h"
#include "compiler/graph/ops/host/host_tensor.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// What a pool of these windows has read, to whose elements the indices refer.
Shape pooled_from(const OpCall& call, const Shape& x) {
    const std::size_t rank = x.size() - 2;
    const Ints kernel = per_dimension(call.attributes, "kernel", rank, 1, "max_unpool");
    const Ints stride = per_dimension(call.attributes, "stride", rank, 1, "max_unpool");
    const Ints pads = paddings(call.attributes, rank, "max_unpool");
    Shape shape(x.begin(), x.begin() + 2);
    for (std::size_t d = 0; d < rank; ++d)
        shape.push_back(simplified(
            ir::add(ir::mul(ir::sub(x[d + 2], dim(1)), dim(stride[d])), dim(kernel[d] - pads[d] - pads[d + rank]))));
    return shape;
}

std::vector<TensorSpec> infer_max_unpool(const OpCall& call, FreshSymbols& symbols) {
    const TensorSpec& x = call.inputs[0];
    if (x.shape.size() < 3 || !same_shape(x.shape, call.inputs[1].shape))
        throw OpError("max_unpool wants elements and indices of one shape, not " + text_of(x) + " and " +
                      text_of(call.inputs[1]));
    Shape shape = pooled_from(call, x.shape);
    if (call.inputs.size() > 2)
        for (std::size_t d = 0; d < shape.size(); ++d)
            shape[d] = symbols.fresh("unpooled");
    const Ints wanted = call.attributes.get<Ints>("output_shape");
    if (!wanted.empty() && wanted.size() != shape.size())
        throw OpError("max_unpool of " + text_of(x) + " cannot give a shape of " + std::to_string(wanted.size()) +
                      " dimensions");
    return {{x.dtype, wanted.empty() ? shape : shape_of(wanted)}};
}

std::vector<lang::TensorRef> run_max_unpool(const HostCall& host) {
    const lang::TensorRef& x = host.inputs[0];
    const std::vector<std::int64_t> from = *constant_shape(pooled_from(host.call, shape_of(x->shape)));
    std::vector<std::int64_t> to = host.call.attributes.get<Ints>("output_shape");
    if (host.inputs.size() > 2)
        to = integers_of(host.inputs[2]);
    if (to.empty())
        to = from;
    if (to.size() != from.size())
        throw OpError("max_unpool: the wanted shape has another number of dimensions");
    const lang::TensorRef result = host_tensor(x->dtype, to);
    std::vector<double> values(static_cast<std::size_t>(result->count()));
    const std::vector<double> elements = doubles_of(x);
    const std::vector<std::int64_t> indices = integers_of(host.inputs[1]);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        std::int64_t rest = indices[i];
        std::int64_t slot = 0;
        std::int64_t step = 1;
        bool is_inside = rest >= 0;
        for (std::size_t d = from.size(); d-- > 0;) {
            const std::int64_t position = d > 0 ? rest % from[d] : rest;
            rest /= from[d];
            is_inside = is_inside && position < to[d];
            slot += position * step;
            step *= to[d];
        }
        if (!is_inside)
            throw OpError("max_unpool: index " + std::to_string(indices[i]) + " is out of range");
        values[static_cast<std::size_t>(slot)] = elements[i];
    }
    return {host_tensor(x->dtype, to, values)};
}

} // namespace

const OpInfo& op_info::MaxUnpool() {
    static const OpInfo info = {
        .id = OpId::MaxUnpool,
        .python = "max_unpool",
        .parameters = "x, indices, kernel: ints, stride: ints = [1], padding: ints = [0], output_shape: ints = []",
        .cls = OpClass::Host,
        .summary = "the elements at the places that a pool with indices took them from, zeros elsewhere",
        .example = "hidet.ops.max_unpool(hidet.ones([1, 1, 1]), hidet.zeros([1, 1, 1], dtype='int64'), kernel=[2])",
        .infer = infer_max_unpool,
        .run = run_max_unpool,
    };
    return info;
}

} // namespace hidet::graph
