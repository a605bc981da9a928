// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/contraction/window.h"
#include "compiler/graph/ops/host/run_on_host.h"
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
        .run = run_on_host,
    };
    return info;
}

} // namespace hidet::graph
