// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/graph/ops/host/host_tensor.h"

namespace hidet::graph {

namespace {

bool has_axis(const OpCall& call) {
    return call.attributes.find("axis") != nullptr;
}

std::size_t axis_of(const OpCall& call, std::size_t rank) {
    return static_cast<std::size_t>(normalise_axis(call.attributes.get<std::int64_t>("axis"), rank, "axis"));
}

std::vector<TensorSpec> infer_unique(const OpCall& call, FreshSymbols& symbols) {
    const TensorSpec& x = call.inputs[0];
    const Dim count = symbols.fresh("unique");
    Shape shape = {count};
    Dim slices = element_count(x.shape);
    if (has_axis(call)) {
        const std::size_t axis = axis_of(call, x.shape.size());
        shape = x.shape;
        slices = shape[axis];
        shape[axis] = count;
    }
    return {{x.dtype, shape}, {ir::DType::I64, {count}}, {ir::DType::I64, {slices}}, {ir::DType::I64, {count}}};
}

// -1, 0, 1; NaNs are equal, and larger than all.
template <class T>
int compared(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        if (std::isnan(a) || std::isnan(b))
            return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
    return a < b ? -1 : b < a ? 1 : 0;
}

struct Slices {
    std::vector<std::int64_t> first;   // slice of each distinct value, in the order of the result
    std::vector<std::int64_t> inverse; // distinct value of each slice
    std::vector<std::int64_t> counts;
};

template <class T>
Slices distinct(const std::vector<T>& values, const AxisView& view, bool is_sorted) {
    const auto value = [&](std::int64_t slice, std::int64_t i) {
        return values[static_cast<std::size_t>((i / view.inner * view.extent + slice) * view.inner + i % view.inner)];
    };
    const auto compare = [&](std::int64_t a, std::int64_t b) {
        for (std::int64_t i = 0; i < view.outer * view.inner; ++i)
            if (const int order = compared(value(a, i), value(b, i)))
                return order;
        return 0;
    };
    std::vector<std::int64_t> order(static_cast<std::size_t>(view.extent));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) { return compare(a, b) < 0; });
    // Runs of equals, each of which begins with its first slice.
    std::vector<std::vector<std::int64_t>> runs;
    for (std::int64_t slice : order)
        if (runs.empty() || compare(runs.back().front(), slice) != 0)
            runs.push_back({slice});
        else
            runs.back().push_back(slice);
    if (!is_sorted)
        std::ranges::sort(runs, {}, [](const auto& run_unique) { return run_unique.front(); });
    Slices result;
    result.inverse.resize(order.size());
    for (const auto& run_unique : runs) {
        for (std::int64_t slice : run_unique)
            result.inverse[static_cast<std::size_t>(slice)] = static_cast<std::int64_t>(result.first.size());
        result.first.push_back(run_unique.front());
        result.counts.push_back(static_cast<std::int64_t>(run_unique.size()));
    }
    return result;
}

std::vector<lang::TensorRef> run_unique(const HostCall& host) {
    lang::TensorRef x = host.inputs[0];
    std::size_t axis = 0;
    if (has_axis(host.call)) {
        axis = axis_of(host.call, x->shape.size());
    } else {
        lang::TensorRef flat(new lang::Tensor(*x));
        flat->shape = {x->count()};
        x = flat;
    }
    const bool is_sorted = host.call.attributes.get<bool>("sorted");
    const AxisView view = view_along(x->shape, axis);
    Slices slices;
    if (x->dtype == ir::DType::U64) {
        const std::vector<std::int64_t> bits = integers_of(x);
        slices = distinct(std::vector<std::uint64_t>(bits.begin(), bits.end()), view, is_sorted);
    } else if (ir::is_float(x->dtype)) {
        slices = distinct(doubles_of(x), view, is_sorted);
    } else {
        slices = distinct(integers_of(x), view, is_sorted);
    }
    const auto list = [](const std::vector<std::int64_t>& values) {
        return host_tensor(ir::DType::I64, {static_cast<std::int64_t>(values.size())}, values);
    };
    return {taken(x, axis, slices.first), list(slices.first), list(slices.inverse), list(slices.counts)};
}

} // namespace

const OpInfo& op_info::Unique() {
    static const OpInfo info = {
        .id = OpId::Unique,
        .python = "unique",
        .parameters = "x, axis: int = None, sorted: bool = True",
        .cls = OpClass::Host,
        .summary =
            "the distinct slices along `axis`, where each comes first, which one each slice is, and their counts",
        .example = "hidet.ops.unique(hidet.ones([2, 3]), axis=0)",
        .infer = infer_unique,
        .run = run_unique,
    };
    return info;
}

} // namespace hidet::graph
