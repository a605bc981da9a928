// SPDX-License-Identifier: Apache-2.0
// Elements that are at other places afterwards.
#include <algorithm>
#include <iterator>

#include "runtime/operators/onnx_node.h"
#include "runtime/operators/order.h"

namespace hidet::operators::onnx {

namespace {

// The number of the element of a tensor that is, in each dimension, where place(d) says.
std::int64_t number_of(const Tensor& tensor, auto&& place) {
    std::int64_t number = 0;
    for (std::size_t d = 0; d < tensor.rank; ++d)
        number = number * tensor.extents[d] + place(d);
    return number;
}

struct Cut { // of each dimension
    Extents start, step, count;
};

bool read_cut(OnnxCall& node, Cut& cut) {
    const Tensor& x = *node.input(0);
    List<std::int64_t> starts, ends, axes, steps;
    if (!node.read(1, starts) || !node.read(2, ends) || (node.input(3) && !node.read(3, axes)) ||
        (node.input(4) && !node.read(4, steps)))
        return false;
    if (ends.size() != starts.size() || (!axes.empty() && axes.size() != starts.size()) ||
        (node.input(4) && steps.size() != starts.size()))
        return node.call.refuse("starts, ends, axes and steps have different lengths");
    cut.count = extents_of(x);
    for (std::size_t d = 0; d < x.rank; ++d)
        cut.start.add(0), cut.step.add(1);
    for (std::size_t k = 0; k < starts.size(); ++k) {
        std::size_t axis = 0;
        if (!node.call.axis(axes.empty() ? static_cast<std::int64_t>(k) : axes[k], x.rank, axis))
            return false;
        const std::int64_t extent = x.extents[axis], step = steps.empty() ? 1 : steps[k];
        if (step == 0)
            return node.call.refuse("a step of a slice is 0");
        const auto bounded = [&](std::int64_t place) {
            place = place < 0 ? place + extent : place;
            return step > 0 ? std::clamp<std::int64_t>(place, 0, extent)
                            : std::clamp<std::int64_t>(place, -1, extent - 1);
        };
        const std::int64_t start = bounded(starts[k]), end = bounded(ends[k]);
        const std::int64_t span = step > 0 ? end - start : start - end;
        const auto stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
        cut.start[axis] = start;
        cut.step[axis] = step;
        cut.count[axis] = span > 0 ? static_cast<std::int64_t>((static_cast<std::uint64_t>(span) - 1) / stride) + 1 : 0;
    }
    return true;
}

bool give_cut(OnnxCall& node, std::size_t result, const Cut& cut) {
    const Tensor& x = *node.input(0);
    return give_moved(node.call, result, x, cut.count, nullptr, [&](const Extents& place) {
        return number_of(x, [&](std::size_t d) { return cut.start[d] + place[d] * cut.step[d]; });
    });
}

// Where an element beyond an end is taken from.
enum class Padding : std::uint8_t { Constant, Edge, Reflect, Wrap };

bool padding_of(OnnxCall& node, Padding& padding) {
    const char* const names[] = {"constant", "edge", "reflect", "wrap"};
    const Text mode = node.word("mode", "constant");
    for (std::size_t i = 0; i < std::size(names); ++i)
        if (mode == text(names[i])) {
            padding = static_cast<Padding>(i);
            return true;
        }
    return node.call.refuse("there is no padding '", mode, "'");
}

std::int64_t found_at(Padding padding, std::int64_t place, std::int64_t extent) { // below zero: nowhere
    if (place >= 0 && place < extent)
        return place;
    switch (padding) {
    case Padding::Constant: return -1;
    case Padding::Edge: return std::clamp<std::int64_t>(place, 0, extent - 1);
    case Padding::Wrap: return (place % extent + extent) % extent;
    case Padding::Reflect: {
        const std::int64_t period = 2 * (extent - 1);
        if (period == 0)
            return 0;
        const std::int64_t folded = (place % period + period) % period;
        return folded < extent ? folded : period - folded;
    }
    }
    return -1;
}

} // namespace

bool Slice(OnnxCall& node) {
    Cut cut;
    return node.wants(3, 5, 1) && read_cut(node, cut) && give_cut(node, 0, cut);
}

bool Split(OnnxCall& node) {
    List<std::int64_t> sizes;
    std::size_t axis = 0;
    if (!node.read(1, sizes) || !node.wants(2, 2, sizes.size()) ||
        !node.call.axis(node.integer("axis", 0), node.input(0)->rank, axis))
        return false;
    const Tensor& x = *node.input(0);
    std::int64_t sum = 0;
    for (const std::int64_t size : sizes)
        if (size < 0 || __builtin_add_overflow(sum, size, &sum))
            return node.call.refuse("the split has a negative size");
    if (sum != x.extents[axis])
        return node.call.refuse("the split makes up ", sum, ", not ", x.extents[axis]);
    Cut cut;
    cut.count = extents_of(x);
    for (std::size_t d = 0; d < x.rank; ++d)
        cut.start.add(0), cut.step.add(1);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        cut.count[axis] = sizes[i];
        if (!give_cut(node, i, cut))
            return false;
        cut.start[axis] += sizes[i];
    }
    return true;
}

bool Expand(OnnxCall& node) {
    List<std::int64_t> wanted;
    if (!node.wants(2, 2, 1) || !node.read(1, wanted))
        return false;
    const Tensor& x = *node.input(0);
    const std::size_t rank = std::max<std::size_t>(x.rank, wanted.size());
    if (rank > most_rank)
        return node.call.refuse("a tensor of ", rank, " dimensions");
    Extents shape;
    for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t from = d + x.rank < rank ? 1 : x.extents[d + x.rank - rank],
                           to = d + wanted.size() < rank ? 1 : wanted[d + wanted.size() - rank];
        if (from != to && from != 1 && to != 1)
            return node.call.refuse("a tensor of shape ", words_of(extents_of(x)), " cannot be expanded: dimension ", d,
                                    " is to be ", to);
        shape.add(from == 1 ? to : from);
    }
    return give_moved(node.call, 0, x, shape, nullptr, [&](const Extents& place) {
        return number_of(x, [&](std::size_t d) { return x.extents[d] == 1 ? 0 : place[rank - x.rank + d]; });
    });
}

bool Tile(OnnxCall& node) {
    List<std::int64_t> repeats;
    if (!node.wants(2, 2, 1) || !node.read(1, repeats))
        return false;
    const Tensor& x = *node.input(0);
    Extents shape = extents_of(x);
    if (repeats.size() != x.rank)
        return node.call.refuse("tile wants ", x.rank, " repeats, not ", repeats.size());
    for (std::size_t d = 0; d < x.rank; ++d)
        if (repeats[d] < 0 || __builtin_mul_overflow(shape[d], repeats[d], &shape[d]))
            return node.call.refuse("tile cannot repeat ", repeats[d], " times");
    return give_moved(node.call, 0, x, shape, nullptr, [&](const Extents& place) {
        return number_of(x, [&](std::size_t d) { return place[d] % x.extents[d]; });
    });
}

bool Pad(OnnxCall& node) {
    List<std::int64_t> pads, axes;
    Padding padding{};
    if (!node.wants(2, 4, 1) || !padding_of(node, padding) || !node.read(1, pads) ||
        (node.input(3) && !node.read(3, axes)))
        return false;
    const Tensor& x = *node.input(0);
    const std::size_t padded = node.input(3) ? axes.size() : x.rank;
    if (pads.size() != 2 * padded)
        return node.call.refuse("there are ", pads.size(), " pads for ", padded, " dimensions");
    Extents shape = extents_of(x), begin;
    for (std::size_t d = 0; d < x.rank; ++d)
        begin.add(0);
    for (std::size_t k = 0; k < padded; ++k) {
        std::size_t axis = 0;
        if (!node.call.axis(node.input(3) ? axes[k] : static_cast<std::int64_t>(k), x.rank, axis))
            return false;
        begin[axis] = pads[k];
        shape[axis] = x.extents[axis];
        if (__builtin_add_overflow(shape[axis], pads[k], &shape[axis]) ||
            __builtin_add_overflow(shape[axis], pads[padded + k], &shape[axis]) || shape[axis] < 0)
            return node.call.refuse("dimension ", axis, " cannot be padded by ", pads[k], " and ", pads[padded + k]);
        if (padding != Padding::Constant && x.extents[axis] == 0 && shape[axis] > 0)
            return node.call.refuse("dimension ", axis, " has no elements to pad it with");
    }
    const Tensor* value = node.input(2);
    const unsigned char zero[8] = {};
    if (value && (value->element != x.element || count_of(*value) != 1))
        return node.call.refuse("what is padded with is not one element of the type");
    return give_moved(node.call, 0, x, shape, value ? value->data : zero, [&](const Extents& place) {
        bool is_somewhere = true;
        const std::int64_t number = number_of(x, [&](std::size_t d) {
            const std::int64_t found = found_at(padding, place[d] - begin[d], x.extents[d]);
            is_somewhere = is_somewhere && found >= 0;
            return found;
        });
        return is_somewhere ? number : -1;
    });
}

bool Trilu(OnnxCall& node) {
    std::int64_t k = 0;
    if (!node.wants(1, 2, 1) || (node.input(1) && !node.call.read_one(*node.input(1), k)))
        return false;
    const Tensor& x = *node.input(0);
    const bool is_upper = node.integer("upper", 1) != 0;
    const unsigned char zero[8] = {};
    if (x.rank < 2)
        return node.call.refuse("a triangle wants a matrix, not ", words_of(extents_of(x)));
    k = std::clamp<std::int64_t>(k, -package::most_addressable, package::most_addressable);
    return give_moved(node.call, 0, x, extents_of(x), zero, [&](const Extents& place) {
        const std::int64_t above = place[x.rank - 1] - place[x.rank - 2];
        const bool is_kept = is_upper ? above >= k : above <= k;
        return is_kept ? number_of(x, [&](std::size_t d) { return place[d]; }) : -1;
    });
}

bool OneHot(OnnxCall& node) {
    std::int64_t depth = 0;
    std::size_t axis = 0;
    List<std::int64_t> indices;
    if (!node.wants(3, 3, 1) || !node.call.read_one(*node.input(1), depth) || !node.read(0, indices) ||
        !node.call.axis(node.integer("axis", -1), node.input(0)->rank + std::size_t{1}, axis))
        return false;
    const Tensor &given = *node.input(0), &values = *node.input(2); // off, on
    if (depth < 0 || count_of(values) != 2 || given.rank == most_rank)
        return node.call.refuse("one_hot of ", depth, " places, and ", count_of(values), " values");
    Extents shape;
    for (std::size_t d = 0; d <= given.rank; ++d)
        shape.add(d == axis ? depth : given.extents[d - (d > axis)]);
    return give_moved(node.call, 0, values, shape, nullptr, [&](const Extents& place) {
        const std::int64_t number = number_of(given, [&](std::size_t d) { return place[d + (d >= axis)]; });
        const std::int64_t index = indices[static_cast<std::size_t>(number)];
        return std::int64_t{(index < 0 ? index + depth : index) == place[axis]};
    });
}

bool Range(OnnxCall& node) {
    return node.wants(3, 3, 1) && give_sequence(node.call);
}

bool TopK(OnnxCall& node) {
    TopKOf how;
    how.is_largest = node.integer("largest", 1) != 0;
    return node.wants(2, 2, 2) && node.call.read_one(*node.input(1), how.k) &&
           node.call.axis(node.integer("axis", -1), node.input(0)->rank, how.axis) && top_k(node.call, how);
}

bool NonMaxSuppression(OnnxCall& node) {
    BoxLimits limits;
    limits.has_score = true;
    limits.score = -1e30;
    return node.wants(2, 5, 1) && (!node.input(2) || node.call.read_one(*node.input(2), limits.boxes_per_class)) &&
           (!node.input(3) || node.call.read_one(*node.input(3), limits.iou)) &&
           (!node.input(4) || node.call.read_one(*node.input(4), limits.score)) &&
           non_max_suppression(node.call, limits);
}

} // namespace hidet::operators::onnx
