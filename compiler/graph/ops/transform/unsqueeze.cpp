// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/graph/core/apply.h"
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_unsqueeze(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    const std::size_t rank = from.size() + ints_attribute(call, "dims").size();
    check_rank(rank);
    const std::vector<std::size_t> dims = axes_attribute(call, "dims", rank);
    Shape to;
    std::size_t next = 0;
    for (std::size_t i = 0; i < rank; ++i)
        to.push_back(std::ranges::find(dims, i) != dims.end() ? dim(1) : from[next++]);
    return define_reshape(call, "unsqueeze", to);
}

} // namespace

const OpInfo& op_info::Unsqueeze() {
    static const OpInfo info = {
        .id = OpId::Unsqueeze,
        .python = "unsqueeze",
        .parameters = "x, dims: ints",
        .cls = OpClass::Transform,
        .summary = "with extents of 1 at the given dimensions of the result",
        .example = "hidet.ops.unsqueeze(hidet.randn([2, 3]), [0, 3])",
        .define = define_unsqueeze,
        .shares_memory = true,
    };
    return info;
}

} // namespace hidet::graph
