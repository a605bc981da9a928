// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph {

namespace {

void check_size(std::int64_t size) {
    constexpr std::int64_t largest = 1 << 30;
    if (size < 0 || size > largest)
        throw OpError("a window wants a size from 0 to " + std::to_string(largest) + ", not " + std::to_string(size));
}

// The size is an attribute, or a tensor of one element. Attributes: size (int), periodic (bool), dtype.
std::vector<TensorSpec> infer_window_functions(const OpCall& call, FreshSymbols& symbols) {
    const ir::DType dtype = call.attributes.get<ir::DType>("dtype");
    if (!call.inputs.empty())
        return {{dtype, {symbols.fresh("window")}}};
    const std::int64_t size = call.attributes.get<std::int64_t>("size");
    check_size(size);
    return {{dtype, {dim(size)}}};
}

} // namespace

const OpInfo& op_info::HannWindow() {
    static const OpInfo info = {
        .id = OpId::HannWindow,
        .python = "hann_window",
        .parameters = "size: int, periodic: bool = True, dtype: dtype = 'float32'",
        .cls = OpClass::Host,
        .summary = "the window of Hann",
        .example = "hidet.ops.hann_window(size=8)",
        .infer = infer_window_functions,
        .run = run_on_host,
    };
    return info;
}

const OpInfo& op_info::HammingWindow() {
    static const OpInfo info = {
        .id = OpId::HammingWindow,
        .python = "hamming_window",
        .parameters = "size: int, periodic: bool = True, dtype: dtype = 'float32'",
        .cls = OpClass::Host,
        .summary = "the window of Hamming",
        .example = "hidet.ops.hamming_window(size=8)",
        .infer = infer_window_functions,
        .run = run_on_host,
    };
    return info;
}

const OpInfo& op_info::BlackmanWindow() {
    static const OpInfo info = {
        .id = OpId::BlackmanWindow,
        .python = "blackman_window",
        .parameters = "size: int, periodic: bool = True, dtype: dtype = 'float32'",
        .cls = OpClass::Host,
        .summary = "the window of Blackman",
        .example = "hidet.ops.blackman_window(size=8)",
        .infer = infer_window_functions,
        .run = run_on_host,
    };
    return info;
}

} // namespace hidet::graph
