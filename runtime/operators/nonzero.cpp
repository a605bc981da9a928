// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/table.h"

namespace hidet::operators::host_operator {

// A scalar counts as a tensor of one element.
bool NonZero(Call& call) {
    List<double> values;
    List<std::int64_t> indices;
    if (!call.takes(1, 1, 1) || !call.read(call.inputs[0], values))
        return false;
    Extents shape = extents_of(call.inputs[0]);
    if (shape.rank == 0)
        shape.add(1);
    std::int64_t found = 0;
    for (const double value : values)
        found += value != 0;
    if (!call.make(indices, shape.rank * found))
        return false;
    std::int64_t column = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == 0)
            continue;
        auto rest = static_cast<std::int64_t>(i);
        for (std::size_t d = shape.rank; d-- > 0; rest /= shape[d])
            indices[d * static_cast<std::size_t>(found) + static_cast<std::size_t>(column)] = rest % shape[d];
        ++column;
    }
    return call.give(0, Element::I64, {{shape.rank, found}, 2}, indices);
}

} // namespace hidet::operators::host_operator
