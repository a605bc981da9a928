// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/norm/axis_stages.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_log_softmax(const OpCall& call) {
    AxisStages stages(call, "logsoftmax");
    const ir::VarRef largest = stages.largest();
    const ir::VarRef sum = stages.sum_of_exp(largest);
    return stages.finish([&](const Indices& axes) {
        return ir::sub(stages.shifted(axes, largest), log_of(at(sum, stages.kept(axes))));
    });
}

} // namespace

const OpInfo& op_info::LogSoftmax() {
    static const OpInfo info = {
        .id = OpId::LogSoftmax,
        .python = "logsoftmax",
        .parameters = "x, axis: int = -1",
        .cls = OpClass::Reduction,
        .summary = "the logarithm of softmax, without its underflow",
        .example = "hidet.ops.logsoftmax(hidet.randn([2, 3]), axis=-1)",
        .define = define_log_softmax,
    };
    return info;
}

} // namespace hidet::graph
