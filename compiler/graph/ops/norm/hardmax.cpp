// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/norm/axis_stages.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_hardmax(const OpCall& call) {
    AxisStages stages(call, "hardmax");
    Shape kept = stages.shape;
    kept[stages.axis] = dim(1);
    const ir::VarRef first = stages.builder.arg_reduce("first", kept, ReduceOp::ArgMax, stages.shape[stages.axis],
                                                       false, [&](const Indices& axes, const Indices& over) {
                                                           Indices index = axes;
                                                           index[stages.axis] = over[0];
                                                           return at(stages.x, index);
                                                       });
    return stages.finish([&](const Indices& axes) {
        return ir::select(ir::equal(at(first, stages.kept(axes)), axes[stages.axis]), number(1, stages.dtype),
                          number(0, stages.dtype));
    });
}

} // namespace

const OpInfo& op_info::Hardmax() {
    static const OpInfo info = {
        .id = OpId::Hardmax,
        .python = "hardmax",
        .parameters = "x, axis: int = -1",
        .cls = OpClass::Reduction,
        .summary = "one at the first largest element along `axis`, zero elsewhere",
        .example = "hidet.ops.hardmax(hidet.randn([2, 3]), axis=-1)",
        .define = define_hardmax,
    };
    return info;
}

} // namespace hidet::graph
