// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/graph/ops/host/host_tensor.h"
#include "compiler/graph/ops/host/scatter.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> infer_elements(const OpCall& call, FreshSymbols&) {
    check_scatter_elements(call);
    scattering_of(call.attributes);
    return {call.inputs[0]};
}

std::vector<TensorSpec> infer_nd(const OpCall& call, FreshSymbols&) {
    check_scatter_nd(call);
    scattering_of(call.attributes);
    return {call.inputs[0]};
}

// For each element of the updates, in order, the element of the data that it goes to.
using Slots = std::vector<std::size_t>;

std::int64_t wrapped(std::int64_t index, std::int64_t extent) {
    const std::int64_t place = index < 0 ? index + extent : index;
    if (place < 0 || place >= extent)
        throw OpError("index " + std::to_string(index) + " is out of range for a dimension of " +
                      std::to_string(extent));
    return place;
}

Slots slots_of_elements(const HostCall& host) {
    const std::vector<std::int64_t>& data = host.inputs[0]->shape;
    const std::vector<std::int64_t>& shape = host.inputs[1]->shape;
    const auto axis =
        static_cast<std::size_t>(normalise_axis(host.call.attributes.get<std::int64_t>("axis"), data.size(), "axis"));
    for (std::size_t d = 0; d < data.size(); ++d)
        if (d != axis && shape[d] > data[d])
            throw OpError("scatter_elements: the indices are larger than the data");
    Slots slots;
    const std::vector<std::int64_t> indices = integers_of(host.inputs[1]);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        auto rest = static_cast<std::int64_t>(i);
        std::int64_t slot = 0;
        std::int64_t step = 1;
        for (std::size_t d = data.size(); d-- > 0;) {
            slot += (d == axis ? wrapped(indices[i], data[d]) : rest % shape[d]) * step;
            rest /= shape[d];
            step *= data[d];
        }
        slots.push_back(static_cast<std::size_t>(slot));
    }
    return slots;
}

Slots slots_of_slices(const HostCall& host) {
    const std::vector<std::int64_t>& data = host.inputs[0]->shape;
    const auto depth = static_cast<std::size_t>(host.inputs[1]->shape.back());
    const std::vector<std::int64_t> indices = integers_of(host.inputs[1]);
    std::int64_t slice = 1;
    for (std::size_t d = depth; d < data.size(); ++d)
        slice *= data[d];
    const std::int64_t rows = slice > 0 ? host.inputs[2]->count() / slice : 0;
    Slots slots;
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
        std::int64_t slot = 0;
        for (std::size_t d = 0; d < depth; ++d)
            slot = slot * data[d] + wrapped(indices[row * depth + d], data[d]);
        for (std::int64_t i = 0; i < slice; ++i)
            slots.push_back(static_cast<std::size_t>(slot * slice + i));
    }
    return slots;
}

template <class T>
T combined(Scattering how, T old, T by) {
    if constexpr (std::is_floating_point_v<T>) {
        if (how >= Scattering::Max && (std::isnan(old) || std::isnan(by)))
            return std::isnan(old) ? old : by;
    }
    switch (how) {
    case Scattering::Add: return old + by;
    case Scattering::Mul: return old * by;
    case Scattering::Max: return std::max(old, by);
    case Scattering::Min: return std::min(old, by);
    default: return by;
    }
}

template <class T>
lang::TensorRef scattered(const lang::TensorRef& data, std::vector<T> values, const std::vector<T>& updates,
                          const Slots& slots, Scattering how) {
    for (std::size_t i = 0; i < slots.size(); ++i)
        values[slots[i]] = combined(how, values[slots[i]], updates[i]);
    return host_tensor(data->dtype, data->shape, values);
}

lang::TensorRef copied(const HostCall& host, const Slots& slots) {
    const lang::TensorRef& data = host.inputs[0];
    const auto bytes = static_cast<std::size_t>(ir::bytes_of(data->dtype));
    const lang::TensorRef result = host_tensor(data->dtype, data->shape);
    if (data->count() > 0)
        std::memcpy(result->data(), data->read(), static_cast<std::size_t>(data->count()) * bytes);
    std::byte* to = result->data();
    const std::byte* from = host.inputs[2]->read();
    for (std::size_t i = 0; i < slots.size(); ++i)
        std::memcpy(to + slots[i] * bytes, from + i * bytes, bytes);
    return result;
}

std::vector<lang::TensorRef> run_host_scatter(const HostCall& host, const Slots& slots) {
    const Scattering how = scattering_of(host.call.attributes);
    const lang::TensorRef& data = host.inputs[0];
    if (how == Scattering::None)
        return {copied(host, slots)};
    if (ir::is_float(data->dtype))
        return {scattered(data, doubles_of(data), doubles_of(host.inputs[2]), slots, how)};
    const auto unsigned_of = [](const lang::TensorRef& tensor) {
        const std::vector<std::int64_t> bits = integers_of(tensor);
        return std::vector<std::uint64_t>(bits.begin(), bits.end());
    };
    if (data->dtype != ir::DType::U64)
        return {scattered(data, integers_of(data), integers_of(host.inputs[2]), slots, how)};
    std::vector<std::uint64_t> values = unsigned_of(data);
    const std::vector<std::uint64_t> updates = unsigned_of(host.inputs[2]);
    for (std::size_t i = 0; i < slots.size(); ++i)
        values[slots[i]] = combined(how, values[slots[i]], updates[i]);
    return {host_tensor(data->dtype, data->shape, std::vector<std::int64_t>(values.begin(), values.end()))};
}

} // namespace

const OpInfo& op_info::HostScatterElements() {
    static const OpInfo info = {
        .id = OpId::HostScatterElements,
        .python = "",
        .parameters = "data, indices, updates, axis: int = 0, reduction: str = 'none'",
        .cls = OpClass::Host,
        .summary = "as ScatterElements, in a time that is linear in the number of updates",
        .example = "hidet.ops.scatter_elements(hidet.zeros([3, 3]), hidet.zeros([1, 3], dtype='int64'), "
                   "hidet.ones([1, 3]))",
        .infer = infer_elements,
        .run = [](const HostCall& host) { return run_host_scatter(host, slots_of_elements(host)); },
        .indexes = indexed_by_scatter_elements,
    };
    return info;
}

const OpInfo& op_info::HostScatterND() {
    static const OpInfo info = {
        .id = OpId::HostScatterND,
        .python = "",
        .parameters = "data, indices, updates, reduction: str = 'none'",
        .cls = OpClass::Host,
        .summary = "as ScatterND, in a time that is linear in the number of updates",
        .example = "hidet.ops.scatter_nd(hidet.zeros([3, 3]), hidet.zeros([2, 1], dtype='int64'), hidet.ones([2, 3]))",
        .infer = infer_nd,
        .run = [](const HostCall& host) { return run_host_scatter(host, slots_of_slices(host)); },
        .indexes = indexed_by_scatter_nd,
    };
    return info;
}

} // namespace hidet::graph
