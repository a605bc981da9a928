// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

void want_inside(const OpCall& call, const Ints& size, const Ints& stride, std::int64_t offset) {
    if (size.size() != stride.size())
        throw OpError("as_strided: " + std::to_string(size.size()) + " extents and " + std::to_string(stride.size()) +
                      " strides");
    const auto count = constant_of(element_count(call.inputs[0].shape));
    if (!count)
        throw OpError("as_strided wants constant extents, not " + text_of(call.inputs[0].shape));
    // In double: products of hostile numbers do not overflow, and what is near the limit is far outside of any tensor.
    double low = static_cast<double>(offset);
    double high = low;
    for (std::size_t i = 0; i < size.size(); ++i) {
        if (size[i] < 0)
            throw OpError("as_strided: the extent " + std::to_string(size[i]));
        if (size[i] == 0)
            return;
        const double reach = static_cast<double>(size[i] - 1) * static_cast<double>(stride[i]);
        (reach < 0 ? low : high) += reach;
    }
    if (low < 0 || high >= static_cast<double>(*count))
        throw OpError("as_strided leaves a tensor of shape " + text_of(call.inputs[0].shape));
}

Task define_as_strided(const OpCall& call) {
    const Ints size = ints_attribute(call, "size");
    const Ints stride = ints_attribute(call, "stride");
    const std::int64_t offset = call.attributes.get<std::int64_t>("storage_offset");
    want_inside(call, size, stride, offset);
    return define_move(call, "as_strided", shape_of(size), [&](const Indices& axes) {
        ir::ExprRef place = dim(offset);
        for (std::size_t i = 0; i < axes.size(); ++i)
            place = ir::add(place, ir::mul(axes[i], dim(stride[i])));
        const Shape& from = call.inputs[0].shape;
        return reshaped_index(from, {element_count(from)}, {place});
    });
}

} // namespace

const OpInfo& op_info::AsStrided() {
    static const OpInfo info = {
        .id = OpId::AsStrided,
        .python = "as_strided",
        .parameters = "x, size: ints, stride: ints, storage_offset: int = 0",
        .cls = OpClass::Transform,
        .summary = "the elements of x, in row-major order, at storage_offset plus the index times the strides",
        .example = "hidet.ops.as_strided(hidet.randn([6]), size=[2, 3], stride=[1, 2], storage_offset=0)",
        .define = define_as_strided,
    };
    return info;
}

} // namespace hidet::graph
