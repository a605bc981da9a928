// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "compiler/graph/ops/host/host_tensor.h"

namespace hidet::graph {

namespace {

constexpr std::int64_t largest_matrix = std::int64_t{1} << 28;

struct MelScale {
    std::int64_t bins = 0;
    std::int64_t length = 0;
    std::int64_t sample_rate = 0;
    double lowest = 0;
    double highest = 0;
};

// Five tensors of one element, or attributes of the same names.
MelScale scale_of(const Attributes& attributes, const std::vector<lang::TensorRef>& inputs) {
    MelScale mel;
    if (inputs.size() == 5) {
        mel = {scalar_integer(inputs[0]), scalar_integer(inputs[1]), scalar_integer(inputs[2]),
               scalar_double(inputs[3]), scalar_double(inputs[4])};
    } else {
        mel.bins = attributes.get<std::int64_t>("num_mel_bins");
        mel.length = attributes.get<std::int64_t>("dft_length");
        mel.sample_rate = attributes.get<std::int64_t>("sample_rate");
        mel.lowest = attributes.get<double>("lower_edge_hertz");
        mel.highest = attributes.get<double>("upper_edge_hertz");
    }
    const bool is_small = mel.bins >= 0 && mel.bins < largest_matrix && mel.length >= 0 &&
                          mel.length < largest_matrix && mel.bins * (mel.length / 2 + 1) < largest_matrix;
    if (!is_small || mel.sample_rate < 1)
        throw OpError("mel_weight_matrix wants small extents that are not negative, and a positive sample rate");
    return mel;
}

std::vector<TensorSpec> infer_mel_weight_matrix(const OpCall& call, FreshSymbols& symbols) {
    const ir::DType dtype = call.attributes.get<ir::DType>("dtype");
    if (!call.inputs.empty())
        return {{dtype, {symbols.fresh("bins"), symbols.fresh("mel")}}};
    const MelScale mel = scale_of(call.attributes, {});
    return {{dtype, {dim(mel.length / 2 + 1), dim(mel.bins)}}};
}

std::vector<lang::TensorRef> run_mel_weight_matrix(const HostCall& host) {
    const MelScale mel = scale_of(host.call.attributes, host.inputs);
    const auto to_mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
    const double low = to_mel(mel.lowest);
    const double step = (to_mel(mel.highest) - low) / static_cast<double>(mel.bins + 2);
    const std::int64_t rows = mel.length / 2 + 1;
    const auto bin = [&](std::int64_t i) {
        const double hertz = 700 * (std::pow(10, (static_cast<double>(i) * step + low) / 2595) - 1);
        return static_cast<std::int64_t>(
            std::floor(static_cast<double>(mel.length + 1) * hertz / static_cast<double>(mel.sample_rate)));
    };
    std::vector<double> values(static_cast<std::size_t>(rows * mel.bins));
    const auto set = [&](std::int64_t row, std::int64_t column, double value) {
        if (row >= 0 && row < rows)
            values[static_cast<std::size_t>(row * mel.bins + column)] = value;
    };
    const auto limited = [&](std::int64_t row) { return std::min(std::max<std::int64_t>(row, 0), rows); };
    for (std::int64_t i = 0; i < mel.bins; ++i) {
        const std::int64_t left = bin(i);
        const std::int64_t centre = bin(i + 1);
        const std::int64_t right = bin(i + 2);
        if (left == centre)
            set(centre, i, 1);
        else
            for (std::int64_t j = limited(left); j < limited(centre + 1); ++j)
                set(j, i, static_cast<double>(j - left) / static_cast<double>(centre - left));
        for (std::int64_t j = limited(centre); j < limited(right); ++j)
            set(j, i, static_cast<double>(right - j) / static_cast<double>(right - centre));
    }
    return {host_tensor(host.call.attributes.get<ir::DType>("dtype"), {rows, mel.bins}, values)};
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
        .run = run_mel_weight_matrix,
    };
    return info;
}

} // namespace hidet::graph
