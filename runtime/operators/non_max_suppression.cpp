// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "runtime/operators/order.h"
#include "runtime/operators/table.h"

namespace hidet::operators {

namespace {

struct Box {
    double top = 0, left = 0, bottom = 0, right = 0;
    double area() const { return (bottom - top) * (right - left); }
};

// Any two opposite corners, or the centre and the extents.
Box box_of(const double* v, bool is_centred) {
    if (is_centred)
        return {v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2};
    return {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]), std::max(v[1], v[3])};
}

double overlap(const Box& a, const Box& b) {
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
    if (height <= 0 || width <= 0 || a.area() <= 0 || b.area() <= 0)
        return 0;
    const double common = height * width;
    return common / (a.area() + b.area() - common);
}

// The boxes of one class, the best first. How many there are of them: they stand first in `order`.
std::uint32_t select(const List<Box>& boxes, const double* scores, const BoxLimits& limits,
                     const List<std::int64_t>& order) {
    std::uint32_t candidates = 0, kept = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i)
        if (scores[i] == scores[i] && (!limits.has_score || scores[i] > limits.score))
            order[candidates++] = static_cast<std::int64_t>(i);
    std::sort(order.items, order.items + candidates,
              [&](std::int64_t a, std::int64_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
    for (std::uint32_t i = 0; i < candidates && kept < limits.boxes_per_class; ++i) {
        const Box& box = boxes[static_cast<std::size_t>(order[i])];
        bool is_covered = false;
        for (std::uint32_t k = 0; k < kept && !is_covered; ++k)
            is_covered = overlap(boxes[static_cast<std::size_t>(order[k])], box) > limits.iou;
        if (!is_covered)
            order[kept++] = order[i];
    }
    return kept;
}

} // namespace

bool non_max_suppression(Call& call, const BoxLimits& limits) {
    const Tensor &where = call.inputs[0],
                 &how_likely = call.inputs[1]; // [batches, boxes, 4], [batches, classes, boxes]
    if (where.rank != 3 || how_likely.rank != 3 || where.extents[0] != how_likely.extents[0] ||
        where.extents[1] != how_likely.extents[2] || where.extents[2] != 4)
        return call.refuse("non_max_suppression: the boxes do not go with the scores");
    const std::int64_t batches = how_likely.extents[0], classes = how_likely.extents[1], count = how_likely.extents[2];
    List<double> coordinates, scores;
    List<Box> boxes;
    List<std::int64_t> order, rows;
    if (!call.read(where, coordinates) || !call.read(how_likely, scores) || !call.make(boxes, count) ||
        !call.make(order, count) || !call.make(rows, 3 * count_of(how_likely)))
        return false;
    const bool is_centred = call.integer("center_point_box") != 0 || call.integer("onnx.center_point_box") != 0;
    std::uint32_t made = 0;
    for (std::int64_t batch = 0; batch < batches; ++batch) {
        for (std::int64_t i = 0; i < count; ++i)
            boxes[static_cast<std::size_t>(i)] = box_of(coordinates.items + (batch * count + i) * 4, is_centred);
        for (std::int64_t c = 0; c < classes; ++c) {
            const std::uint32_t kept = select(boxes, scores.items + (batch * classes + c) * count, limits, order);
            for (std::uint32_t i = 0; i < kept; ++i) {
                rows[made++] = batch;
                rows[made++] = c;
                rows[made++] = order[i];
            }
        }
    }
    return call.give(0, Element::I64, {{made / 3, 3}, 2}, {rows.items, made});
}

namespace host_operator {

bool NonMaxSuppression(Call& call) {
    BoxLimits limits{call.integer("max_output_boxes_per_class"), call.real("iou_threshold"),
                     call.real("score_threshold"), call.find("score_threshold") != nullptr};
    const auto is_given = [&](std::size_t i) { return call.inputs.size() > i && count_of(call.inputs[i]) > 0; };
    if (!call.takes(2, 5, 1) || (is_given(2) && !call.read_one(call.inputs[2], limits.boxes_per_class)) ||
        (is_given(3) && !call.read_one(call.inputs[3], limits.iou)) ||
        (is_given(4) && !call.read_one(call.inputs[4], limits.score)))
        return false;
    limits.has_score = limits.has_score || is_given(4);
    return non_max_suppression(call, limits);
}

} // namespace host_operator

} // namespace hidet::operators
