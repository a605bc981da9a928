// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool_shape.h"

#include "compiler/ir/ops.h"

namespace hidet::graph {

PoolShape::PoolShape(const OpCall& call, const std::string& name_of_op, std::size_t wanted, ChannelOrder order)
    : name(name_of_op), x(call.inputs[0]), rank(wanted), first(order == ChannelOrder::First ? 2 : 1) {
    if (rank == 0)
        rank = std::max<std::size_t>(x.shape.size(), 3) - 2;
    if (x.shape.size() != rank + 2)
        throw OpError(name + " wants a tensor of " + std::to_string(rank + 2) + " dimensions, not " + text_of(x));
}

Indices PoolShape::spatial(const Indices& index) const {
    const auto begin = index.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(rank)};
}

Indices PoolShape::with_spatial(const Indices& index, const Indices& positions) const {
    Indices result = index;
    for (std::size_t d = 0; d < rank; ++d)
        result[first + d] = positions[d];
    return result;
}

Window PoolShape::window(const OpCall& call) const {
    const Shape extents = spatial(x.shape);
    Shape kernel = extents;
    if (const Ints given = list_attribute(call.attributes, "kernel"); !given.empty()) {
        const Ints sizes = per_dimension(call.attributes, "kernel", rank, 1, name);
        for (std::int64_t size : sizes)
            if (size < 1)
                throw OpError(name + " wants a positive kernel, not " + text_of(Attribute(sizes)));
        kernel = shape_of(sizes);
    }
    Window window = window_of(call, name, extents, std::move(kernel));
    window.ceil_mode = call.attributes.get<bool>("ceil_mode");
    return window;
}

} // namespace hidet::graph
