// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/host_tensor.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> infer_compress(const OpCall& call, FreshSymbols& symbols) {
    const TensorSpec& x = call.inputs[0];
    if (call.inputs[1].shape.size() != 1)
        throw OpError("compress wants a condition of one dimension, not " + text_of(call.inputs[1]));
    Shape shape = {symbols.fresh("kept")};
    if (call.attributes.find("axis")) {
        const auto axis =
            static_cast<std::size_t>(normalise_axis(call.attributes.get<std::int64_t>("axis"), x.shape.size(), "axis"));
        const Dim kept = shape[0];
        shape = x.shape;
        shape[axis] = kept;
    }
    return {{x.dtype, shape}};
}

std::vector<lang::TensorRef> run_compress(const HostCall& host) {
    lang::TensorRef x = host.inputs[0];
    std::size_t axis = 0;
    if (host.call.attributes.find("axis")) {
        axis = static_cast<std::size_t>(
            normalise_axis(host.call.attributes.get<std::int64_t>("axis"), x->shape.size(), "axis"));
    } else {
        lang::TensorRef flat(new lang::Tensor(*x));
        flat->shape = {x->count()};
        x = flat;
    }
    const std::vector<std::int64_t> condition = integers_of(host.inputs[1]);
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < condition.size(); ++i) {
        if (condition[i] == 0)
            continue;
        if (static_cast<std::int64_t>(i) >= x->shape[axis])
            throw OpError("compress: the condition is longer than the dimension");
        places.push_back(static_cast<std::int64_t>(i));
    }
    return {taken(x, axis, places)};
}

} // namespace

const OpInfo& op_info::Compress() {
    static const OpInfo info = {
        .id = OpId::Compress,
        .python = "compress",
        .parameters = "x, condition, axis: int = None",
        .cls = OpClass::Host,
        .summary = "the slices along `axis` for which the condition holds",
        .example = "hidet.ops.compress(hidet.randn([2, 3]), hidet.ones([2], dtype='bool'), axis=0)",
        .infer = infer_compress,
        .run = run_compress,
    };
    return info;
}

} // namespace hidet::graph
