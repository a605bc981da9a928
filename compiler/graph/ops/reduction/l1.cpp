// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/reduction/reduction.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_l1(const OpCall& call) {
    MappedReduction norm;
    norm.work = accumulator_of(call.inputs[0].dtype);
    norm.term = abs_of;
    return define_mapped_reduction(call, "reduce_l1", norm);
}

} // namespace

const OpInfo& op_info::ReduceL1() {
    static const OpInfo info = {
        .id = OpId::ReduceL1,
        .python = "reduce_l1",
        .parameters = "x, dims: ints = [], keepdims: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the sum of magnitudes over the dimensions `dims`",
        .example = "hidet.ops.reduce_l1(hidet.randn([2, 3]), dims=[1])",
        .define = define_l1,
    };
    return info;
}

} // namespace hidet::graph
