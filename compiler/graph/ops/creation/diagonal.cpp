// SPDX-License-Identifier: Apache-2.0
// Matrices of ones and zeros: Eye has ones on a diagonal, Tri on and below it.
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// A dimension as a number, or as a Shape of one; `m` may be left out: as many columns as rows.
Dim extent(const OpCall& call, const char* name) {
    const Attribute* found = call.attributes.find(name);
    if (const auto* whole = found ? std::get_if<std::int64_t>(found) : nullptr; whole && *whole >= 0)
        return dim(*whole);
    if (const auto* shape = found ? std::get_if<Shape>(found) : nullptr; shape && shape->size() == 1)
        return shape->front();
    throw OpError(std::string(call.op->name) + ": '" + name + "' is not an extent");
}

Task define_diagonal(const OpCall& call, const std::string& name, bool fills) {
    const auto dtype = call.attributes.get<ir::DType>("dtype");
    const Dim diagonal = dim(call.attributes.get<std::int64_t>("k"));
    const Dim rows = extent(call, "n");
    const auto* columns = call.attributes.find("m");
    const bool is_square =
        !columns || (std::holds_alternative<std::int64_t>(*columns) && std::get<std::int64_t>(*columns) == -1);
    TaskBuilder builder(name);
    const Shape shape = {rows, is_square ? rows : extent(call, "m")};
    return builder.finish({builder.compute(name, dtype, shape, [&](const Indices& axes) {
        const ir::ExprRef limit = ir::add(axes[0], diagonal);
        const ir::ExprRef is_one = fills ? ir::less_equal(axes[1], limit) : ir::equal(axes[1], limit);
        return ir::cast_to(is_one, dtype);
    })});
}

} // namespace

const OpInfo& op_info::Eye() {
    static const OpInfo info = {
        .id = OpId::Eye,
        .python = "eye",
        .parameters = "n: int, m: int = -1, k: int = 0, dtype: dtype = 'float32', device: str = 'cpu'",
        .cls = OpClass::Transform,
        .summary = "n rows and m columns (-1: as many) of zeros, with ones on the diagonal k places above the main one",
        .example = "hidet.ops.eye(3)",
        .define = [](const OpCall& call) { return define_diagonal(call, "eye", false); },
    };
    return info;
}

const OpInfo& op_info::Tri() {
    static const OpInfo info = {
        .id = OpId::Tri,
        .python = "tri",
        .parameters = "n: int, m: int = -1, k: int = 0, dtype: dtype = 'float32', device: str = 'cpu'",
        .cls = OpClass::Transform,
        .summary = "n rows and m columns (-1: as many) with ones on and below the diagonal k places above the main one",
        .example = "hidet.ops.tri(3, 4, k=1)",
        .define = [](const OpCall& call) { return define_diagonal(call, "tri", true); },
    };
    return info;
}

} // namespace hidet::graph
