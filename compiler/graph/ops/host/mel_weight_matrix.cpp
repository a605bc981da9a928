// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph {

namespace {

constexpr std::int64_t largest_matrix = std::int64_t{1} << 28;

std::vector<TensorSpec> infer_mel_weight_matrix(const OpCall& call, FreshSymbols& symbols) {
    const Attributes& attributes = call.attributes;
    const ir::DType dtype = attributes.get<ir::DType>("dtype");
    if (!call.inputs.empty())
        return {{dtype, {symbols.fresh("bins"), symbols.fresh("mel")}}};
    const std::int64_t bins = attributes.get<std::int64_t>("num_mel_bins"),
                       length = attributes.get<std::int64_t>("dft_length");
    const bool is_small = bins >= 0 && bins < largest_matrix && length >= 0 && length < largest_matrix &&
                          bins * (length / 2 + 1) < largest_matrix;
    if (!is_small || attributes.get<std::int64_t>("sample_rate") < 1)
        throw OpError("mel_weight_matrix wants small extents that are not negative, and a positive sample rate");
    return {{dtype, {dim(length / 2 + 1), dim(bins)}}};
}

} // namespace

const OpInfo& op_info::MelWeightMatrix() {
    static const OpInfo info = {
        .id = OpId::MelWeightMatrix,
        .python = "mel_weight_matrix",
        .parameters = "num_mel_bins: int, dft_length: int, sample_rate: int, lower_edge_hertz: float, "
                      "upper_edge_hertz: float, dtype: dtype = 'float32'",
        .cls = OpClass::Host,
        .summary = "the weights that take a spectrum to the mel scale",
        .example = "hidet.ops.mel_weight_matrix(8, 16, 8192, 0.0, 4096.0)",
        .infer = infer_mel_weight_matrix,
        .run = run_on_host,
    };
    return info;
}

} // namespace hidet::graph
