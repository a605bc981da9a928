// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> infer_non_max_suppression(const OpCall& call, FreshSymbols& symbols) {
    const TensorSpec& boxes = call.inputs[0];
    const TensorSpec& scores = call.inputs[1];
    if (boxes.shape.size() != 3 || scores.shape.size() != 3)
        throw OpError("non_max_suppression wants boxes [batches, boxes, 4] and scores [batches, classes, boxes], not " +
                      text_of(boxes) + " and " + text_of(scores));
    return {{ir::DType::I64, {symbols.fresh("selected"), dim(3)}}};
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
        .run = run_on_host,
    };
    return info;
}

} // namespace hidet::graph
