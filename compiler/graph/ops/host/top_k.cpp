// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/graph/ops/host/host_tensor.h"

namespace hidet::graph {

namespace {

std::size_t axis_of(const Attributes& attributes, std::size_t rank) {
    return static_cast<std::size_t>(normalise_axis(attributes.get<std::int64_t>("axis"), rank, "axis"));
}

std::vector<TensorSpec> infer_top_k(const OpCall& call, FreshSymbols& symbols) {
    const TensorSpec& x = call.inputs[0];
    const std::size_t axis = axis_of(call.attributes, x.shape.size());
    Shape shape = x.shape;
    if (call.inputs.size() > 1) {
        shape[axis] = symbols.fresh("k");
    } else {
        const std::int64_t k = call.attributes.get<std::int64_t>("k");
        const auto extent = constant_of(x.shape[axis]);
        if (k < 0 || (extent && k > *extent))
            throw OpError("topk of " + text_of(x) + " cannot take " + std::to_string(k) + " elements along axis " +
                          std::to_string(axis));
        shape[axis] = dim(k);
    }
    return {{x.dtype, shape}, {ir::DType::I64, shape}};
}

// A NaN is larger than all.
template <class T>
bool is_less(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        return std::isnan(b) ? !std::isnan(a) : a < b;
    else
        return a < b;
}

// Places of the best ones, of equals the first.
template <class T>
std::vector<std::int64_t> best_places(const std::vector<T>& values, std::int64_t k, bool is_largest) {
    std::vector<std::int64_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    const auto is_before = [&](std::int64_t i, std::int64_t j) {
        const T a = values[static_cast<std::size_t>(i)];
        const T b = values[static_cast<std::size_t>(j)];
        if (is_largest ? is_less(b, a) : is_less(a, b))
            return true;
        if (is_largest ? is_less(a, b) : is_less(b, a))
            return false;
        return i < j;
    };
    std::partial_sort(order.begin(), order.begin() + k, order.end(), is_before);
    order.resize(static_cast<std::size_t>(k));
    return order;
}

template <class T>
std::vector<lang::TensorRef> top(const std::vector<T>& values, const lang::TensorRef& x, std::size_t axis,
                                 std::int64_t k, bool is_largest) {
    const AxisView view = view_along(x->shape, axis);
    std::vector<std::int64_t> shape = x->shape;
    shape[axis] = k;
    std::vector<T> best(static_cast<std::size_t>(view.outer * k * view.inner));
    std::vector<std::int64_t> places(best.size());
    std::vector<T> row(static_cast<std::size_t>(view.extent));
    for (std::int64_t i = 0; i < view.outer; ++i)
        for (std::int64_t j = 0; j < view.inner; ++j) {
            for (std::int64_t e = 0; e < view.extent; ++e)
                row[static_cast<std::size_t>(e)] =
                    values[static_cast<std::size_t>((i * view.extent + e) * view.inner + j)];
            const std::vector<std::int64_t> chosen = best_places(row, k, is_largest);
            for (std::int64_t e = 0; e < k; ++e) {
                const auto to = static_cast<std::size_t>((i * k + e) * view.inner + j);
                places[to] = chosen[static_cast<std::size_t>(e)];
                best[to] = row[static_cast<std::size_t>(places[to])];
            }
        }
    return {host_tensor(x->dtype, shape, best), host_tensor(ir::DType::I64, shape, places)};
}

std::vector<lang::TensorRef> run_top_k(const HostCall& host) {
    const lang::TensorRef& x = host.inputs[0];
    const Attributes& attributes = host.call.attributes;
    const std::size_t axis = axis_of(attributes, x->shape.size());
    const std::int64_t k = host.inputs.size() > 1 ? scalar_integer(host.inputs[1]) : attributes.get<std::int64_t>("k");
    if (k < 0 || k > x->shape[axis])
        throw OpError("topk cannot take " + std::to_string(k) + " of " + std::to_string(x->shape[axis]) + " elements");
    const bool is_largest = attributes.get<bool>("largest");
    if (ir::is_float(x->dtype))
        return top(doubles_of(x), x, axis, k, is_largest);
    if (x->dtype == ir::DType::U64) {
        const std::vector<std::int64_t> bits = integers_of(x);
        std::vector<std::int64_t> shifted; // to the order of signed integers
        for (std::int64_t value : bits)
            shifted.push_back(value ^ INT64_MIN);
        std::vector<lang::TensorRef> results = top(shifted, x, axis, k, is_largest);
        std::vector<std::int64_t> back = integers_of(results[0]);
        for (std::int64_t& value : back)
            value ^= INT64_MIN;
        results[0] = host_tensor(x->dtype, results[0]->shape, back);
        return results;
    }
    return top(integers_of(x), x, axis, k, is_largest);
}

} // namespace

const OpInfo& op_info::TopK() {
    static const OpInfo info = {
        .id = OpId::TopK,
        .python = "topk",
        .parameters = "x, k: int, axis: int = -1, largest: bool = True, sorted: bool = True",
        .cls = OpClass::Host,
        .summary = "the `k` largest elements along `axis` in falling order, or the smallest ones, and their indices",
        .example = "hidet.ops.topk(hidet.randn([2, 5]), k=3)",
        .infer = infer_top_k,
        .run = run_top_k,
    };
    return info;
}

} // namespace hidet::graph
