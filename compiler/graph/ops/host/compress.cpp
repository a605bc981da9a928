// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/run_on_host.h"

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
        .run = run_on_host,
    };
    return info;
}

} // namespace hidet::graph
