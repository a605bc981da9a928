// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_squeeze(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    std::vector<std::size_t> dims = axes_attribute(call, "dims", from.size());
    if (dims.empty())
        for (std::size_t i = 0; i < from.size(); ++i)
            if (ir::is_constant(from[i], 1))
                dims.push_back(i);
    Shape to;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const bool is_gone = std::ranges::find(dims, i) != dims.end();
        if (is_gone && constant_of(from[i]) && !ir::is_constant(from[i], 1))
            throw OpError("squeeze: dimension " + std::to_string(i) + " of " + text_of(from) + " is not 1");
        if (!is_gone)
            to.push_back(from[i]);
    }
    return define_reshape(call, "squeeze", to);
}

} // namespace

const OpInfo& op_info::Squeeze() {
    static const OpInfo info = {
        .id = OpId::Squeeze,
        .python = "squeeze",
        .parameters = "x, dims: ints = []",
        .cls = OpClass::Transform,
        .summary = "without the given dimensions, whose extents are 1; without all such when none is given",
        .example = "hidet.ops.squeeze(hidet.randn([2, 1, 3]), [1])",
        .define = define_squeeze,
        .shares_memory = true,
    };
    return info;
}

} // namespace hidet::graph
