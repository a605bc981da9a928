// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/norm/axis_stages.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_softmax(const OpCall& call) {
    AxisStages stages(call, "softmax");
    const ir::VarRef largest = stages.largest();
    const ir::VarRef sum = stages.sum_of_exp(largest);
    return stages.finish([&](const Indices& axes) {
        return ir::div(exp_of(stages.shifted(axes, largest)), at(sum, stages.kept(axes)));
    });
}

} // namespace

const OpInfo& op_info::Softmax() {
    static const OpInfo info = {
        .id = OpId::Softmax,
        .python = "softmax",
        .parameters = "x, axis: int = -1",
        .cls = OpClass::Reduction,
        .summary = "exponentials divided by their sum along `axis`",
        .example = "hidet.ops.softmax(hidet.randn([2, 3]), axis=-1)",
        .define = define_softmax,
    };
    return info;
}

} // namespace hidet::graph
