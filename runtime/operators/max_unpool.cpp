// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/table.h"

namespace hidet::operators::host_operator {

namespace {

// A list with an entry for each dimension, or one for all of them.
bool each_of(Call& call, const char* name, std::size_t count, std::int64_t otherwise, Extents& out) {
    const List<std::int64_t> given = call.integers(name);
    if (given.size() > 1 && given.size() != count)
        return call.refuse("max_unpool wants ", count, " numbers as ", name, ", not ", given.size());
    for (std::size_t d = 0; d < count; ++d)
        out.add(given.empty() ? otherwise : given[given.size() == 1 ? 0 : d]);
    return true;
}

// The shape that the elements were pooled from, which the indices count in.
bool pooled_from(Call& call, Extents& shape) {
    const Tensor& x = call.inputs[0];
    Extents kernel, stride, pads;
    if (x.rank < 3 || x.rank > most_rank / 2)
        return call.refuse("max_unpool wants elements of at least three dimensions");
    const std::size_t rank = x.rank - 2;
    if (!each_of(call, "kernel", rank, 1, kernel) || !each_of(call, "stride", rank, 1, stride))
        return false;
    const List<std::int64_t> padding = call.integers("padding"); // both ends, of all dimensions or of each
    if (padding.size() == rank)
        for (std::size_t i = 0; i < 2 * rank; ++i)
            pads.add(padding[i % rank]);
    else if (!each_of(call, "padding", 2 * rank, 0, pads))
        return false;
    shape = {{x.extents[0], x.extents[1]}, 2};
    for (std::size_t d = 0; d < rank; ++d)
        shape.add((x.extents[d + 2] - 1) * stride[d] + kernel[d] - pads[d] - pads[d + rank]);
    return true;
}

bool find_slot(std::int64_t index, const Extents& from, const Extents& to, std::int64_t& slot) {
    std::int64_t rest = index, step = 1;
    bool is_inside = rest >= 0;
    slot = 0;
    for (std::size_t d = from.rank; d-- > 0 && is_inside;) {
        if (d > 0 && from[d] <= 0)
            return false;
        const std::int64_t position = d > 0 ? rest % from[d] : rest;
        rest = d > 0 ? rest / from[d] : 0;
        is_inside = position < to[d];
        slot += position * step;
        step *= to[d];
    }
    return is_inside;
}

} // namespace

bool MaxUnpool(Call& call) {
    Extents from, to;
    List<double> elements, values;
    List<std::int64_t> indices, wanted = call.integers("output_shape");
    if (!call.takes(2, 3, 1) || !pooled_from(call, from) ||
        (call.inputs.size() > 2 && !call.read(call.inputs[2], wanted)))
        return false;
    if (!wanted.empty() && wanted.size() != from.rank)
        return call.refuse("max_unpool: the wanted shape has another number of dimensions");
    for (std::size_t d = 0; d < from.rank; ++d)
        to.add(wanted.empty() ? from[d] : wanted[d]);
    const Tensor& x = call.inputs[0];
    std::int64_t count = 1;
    for (std::size_t d = 0; d < to.rank; ++d)
        if (to[d] < 0 || __builtin_mul_overflow(count, to[d], &count))
            return call.refuse("max_unpool: ", words_of(to), " cannot be a shape");
    if (count_of(x) != count_of(call.inputs[1]))
        return call.refuse("max_unpool wants elements and indices of one shape");
    if (!call.read(x, elements) || !call.read(call.inputs[1], indices) || !call.make(values, count))
        return false;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        std::int64_t slot = 0;
        if (!find_slot(indices[i], from, to, slot))
            return call.refuse("max_unpool: index ", indices[i], " is out of range");
        values[static_cast<std::size_t>(slot)] = elements[i];
    }
    return call.give(0, x.element, to, values);
}

} // namespace hidet::operators::host_operator
