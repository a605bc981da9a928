// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/composed/scatter.h"

namespace hidet::graph {

namespace {

constexpr double most_looks = 1 << 26;

// Of the constant extents; a symbol counts once.
double known_count(const Shape& shape) {
    double count = 1;
    for (const Dim& each : shape)
        count *= static_cast<double>(constant_of(each).value_or(1));
    return count;
}

} // namespace

const OpInfo& scatter_elements_op(const Shape& data, const Shape& indices, std::int64_t axis) {
    const auto d = static_cast<std::size_t>(normalise_axis(axis, data.size(), "axis"));
    const double looks = d < indices.size() ? known_count(data) * known_count({indices[d]}) : 0;
    return looks <= most_looks ? op_info::ScatterElements() : op_info::HostScatterElements();
}

const OpInfo& scatter_nd_op(const Shape& data, const Shape& indices) {
    const Shape places(indices.begin(), indices.end() - (indices.empty() ? 0 : 1));
    const double looks = known_count(data) * known_count(places);
    return looks <= most_looks ? op_info::ScatterND() : op_info::HostScatterND();
}

} // namespace hidet::graph
