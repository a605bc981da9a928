// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "compiler/graph/ops/host/host_tensor.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> infer_det(const OpCall& call, FreshSymbols&) {
    const TensorSpec& x = call.inputs[0];
    const std::size_t rank = x.shape.size();
    const bool is_square = rank >= 2 && (!constant_of(x.shape[rank - 1]) || !constant_of(x.shape[rank - 2]) ||
                                         same_dim(x.shape[rank - 1], x.shape[rank - 2]));
    if (!is_square || !ir::is_float(x.dtype))
        throw OpError("det wants square matrices of floats, not " + text_of(x));
    return {{x.dtype, Shape(x.shape.begin(), x.shape.end() - 2)}};
}

// Gauss with the largest pivot of each column.
double determinant(double* a, std::size_t n) {
    double product = 1;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k]))
                pivot = i;
        if (a[pivot * n + k] == 0)
            return 0;
        if (pivot != k) {
            product = -product;
            for (std::size_t j = 0; j < n; ++j)
                std::swap(a[k * n + j], a[pivot * n + j]);
        }
        product *= a[k * n + k];
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (std::size_t j = k; j < n; ++j)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return product;
}

std::vector<lang::TensorRef> run_det(const HostCall& host) {
    const lang::TensorRef& x = host.inputs[0];
    if (x->shape[x->shape.size() - 1] != x->shape[x->shape.size() - 2])
        throw OpError("det wants square matrices");
    const auto n = static_cast<std::size_t>(x->shape.back());
    const std::vector<std::int64_t> shape(x->shape.begin(), x->shape.end() - 2);
    std::vector<double> elements = doubles_of(x);
    std::vector<double> results(static_cast<std::size_t>(host_tensor(x->dtype, shape)->count()));
    for (std::size_t i = 0; i < results.size(); ++i)
        results[i] = determinant(elements.data() + i * n * n, n);
    return {host_tensor(x->dtype, shape, results)};
}

} // namespace

const OpInfo& op_info::Det() {
    static const OpInfo info = {
        .id = OpId::Det,
        .python = "det",
        .parameters = "x",
        .cls = OpClass::Host,
        .summary = "the determinants of the matrices in the last two dimensions",
        .example = "hidet.ops.det(hidet.randn([2, 3, 3]))",
        .infer = infer_det,
        .run = run_det,
    };
    return info;
}

} // namespace hidet::graph
