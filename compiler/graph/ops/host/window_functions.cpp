// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "compiler/graph/ops/host/host_tensor.h"

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

// w(n) = a - b cos(t) + c cos(2 t), where t goes round once.
std::vector<lang::TensorRef> run_window_functions(const HostCall& host, double a, double b, double c) {
    const Attributes& attributes = host.call.attributes;
    const std::int64_t size =
        host.inputs.empty() ? attributes.get<std::int64_t>("size") : scalar_integer(host.inputs[0]);
    check_size(size);
    const auto period = static_cast<double>(attributes.get<bool>("periodic") ? size : size - 1);
    std::vector<double> values;
    for (std::int64_t n = 0; n < size; ++n) {
        const double t = period > 0 ? 2 * std::numbers::pi * static_cast<double>(n) / period : std::numbers::pi;
        values.push_back(a - b * std::cos(t) + c * std::cos(2 * t));
    }
    return {host_tensor(attributes.get<ir::DType>("dtype"), {size}, values)};
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
        .run = [](const HostCall& host) { return run_window_functions(host, 0.5, 0.5, 0); },
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
        .run = [](const HostCall& host) { return run_window_functions(host, 25.0 / 46, 21.0 / 46, 0); },
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
        .run = [](const HostCall& host) { return run_window_functions(host, 0.42, 0.5, 0.08); },
    };
    return info;
}

} // namespace hidet::graph
