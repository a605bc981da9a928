// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "compiler/graph/ops/host/host_tensor.h"

namespace hidet::graph {

namespace {

struct Box {
    double top, left, bottom, right;
    double area() const { return (bottom - top) * (right - left); }
};

struct Limits {
    std::int64_t boxes_per_class = 0;
    double iou = 0;
    std::optional<double> score;
};

std::vector<TensorSpec> infer_non_max_suppression(const OpCall& call, FreshSymbols& symbols) {
    const TensorSpec& boxes = call.inputs[0];
    const TensorSpec& scores = call.inputs[1];
    if (boxes.shape.size() != 3 || scores.shape.size() != 3)
        throw OpError("non_max_suppression wants boxes [batches, boxes, 4] and scores [batches, classes, boxes], not " +
                      text_of(boxes) + " and " + text_of(scores));
    return {{ir::DType::I64, {symbols.fresh("selected"), dim(3)}}};
}

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

// Inputs, where they are given, in place of the attributes.
Limits limits_of(const HostCall& host) {
    const Attributes& attributes = host.call.attributes;
    Limits limits;
    limits.boxes_per_class = attributes.get<std::int64_t>("max_output_boxes_per_class");
    limits.iou = attributes.get<double>("iou_threshold");
    if (attributes.find("score_threshold"))
        limits.score = attributes.get<double>("score_threshold");
    if (host.inputs.size() > 2 && host.inputs[2]->count() > 0)
        limits.boxes_per_class = scalar_integer(host.inputs[2]);
    if (host.inputs.size() > 3 && host.inputs[3]->count() > 0)
        limits.iou = scalar_double(host.inputs[3]);
    if (host.inputs.size() > 4 && host.inputs[4]->count() > 0)
        limits.score = scalar_double(host.inputs[4]);
    return limits;
}

std::vector<std::int64_t> selected(const std::vector<Box>& boxes, const double* scores, const Limits& limits) {
    std::vector<std::int64_t> order;
    for (std::size_t i = 0; i < boxes.size(); ++i)
        if (!std::isnan(scores[i]) && (!limits.score || scores[i] > *limits.score))
            order.push_back(static_cast<std::int64_t>(i));
    std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) { return scores[a] > scores[b]; });
    std::vector<std::int64_t> kept;
    for (std::int64_t candidate : order) {
        if (static_cast<std::int64_t>(kept.size()) >= limits.boxes_per_class)
            break;
        const Box& box = boxes[static_cast<std::size_t>(candidate)];
        const bool is_covered = std::ranges::any_of(kept, [&](std::int64_t other) {
            return overlap(boxes[static_cast<std::size_t>(other)], box) > limits.iou;
        });
        if (!is_covered)
            kept.push_back(candidate);
    }
    return kept;
}

std::vector<lang::TensorRef> run_non_max_suppression(const HostCall& host) {
    const std::vector<std::int64_t>& shape = host.inputs[1]->shape; // batches, classes, boxes
    const std::vector<std::int64_t> wanted = {shape[0], shape[2], 4};
    if (host.inputs[0]->shape != wanted)
        throw OpError("non_max_suppression: the boxes do not go with the scores");
    const std::vector<double> coordinates = doubles_of(host.inputs[0]);
    const std::vector<double> scores = doubles_of(host.inputs[1]);
    const bool is_centred = host.call.attributes.get<std::int64_t>("center_point_box") != 0;
    const Limits limits = limits_of(host);
    std::vector<std::int64_t> rows;
    for (std::int64_t batch = 0; batch < shape[0]; ++batch) {
        std::vector<Box> boxes;
        for (std::int64_t i = 0; i < shape[2]; ++i)
            boxes.push_back(box_of(coordinates.data() + (batch * shape[2] + i) * 4, is_centred));
        for (std::int64_t c = 0; c < shape[1]; ++c)
            for (std::int64_t i : selected(boxes, scores.data() + (batch * shape[1] + c) * shape[2], limits))
                rows.insert(rows.end(), {batch, c, i});
    }
    return {host_tensor(ir::DType::I64, {static_cast<std::int64_t>(rows.size() / 3), 3}, rows)};
}

} // namespace

const OpInfo& op_info::NonMaxSuppression() {
    static const OpInfo info = {
        .id = OpId::NonMaxSuppression,
        .python = "non_max_suppression",
        .parameters = "boxes, scores, max_output_boxes_per_class: int, iou_threshold: float = 0.0, "
                      "score_threshold: float = -1e30, center_point_box: int = 0",
        .cls = OpClass::Host,
        .summary = "the boxes of the best scores that overlap no better one, as rows of batch, class and box",
        .example = "hidet.ops.non_max_suppression(hidet.randn([1, 4, 4]), hidet.randn([1, 2, 4]), "
                   "max_output_boxes_per_class=2)",
        .infer = infer_non_max_suppression,
        .run = run_non_max_suppression,
    };
    return info;
}

} // namespace hidet::graph
