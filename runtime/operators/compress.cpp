// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/table.h"

namespace hidet::operators::host_operator {

bool Compress(Call& call) {
    List<std::int64_t> condition, places;
    Extents shape;
    std::size_t axis = 0;
    if (!call.takes(2, 2, 1) || !call.axis_or_flat(shape, axis) || !call.read(call.inputs[1], condition) ||
        !call.make(places, condition.count))
        return false;
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i < condition.size(); ++i) {
        if (condition[i] == 0)
            continue;
        if (static_cast<std::int64_t>(i) >= shape[axis])
            return call.refuse("compress: the condition is longer than the dimension");
        places[kept++] = static_cast<std::int64_t>(i);
    }
    return call.give_taken(0, call.inputs[0], shape, axis, {places.items, kept});
}

} // namespace hidet::operators::host_operator
