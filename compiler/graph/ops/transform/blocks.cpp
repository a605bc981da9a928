// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;

// Index of an image [n, c, h, w] whose channels hold blocks of size x size places: channel c of place (y, x).
struct Blocks {
    Dim size;
    Dim channels; // of the image with the large height and width
    bool is_depth_first = true;

    Indices deep(const Indices& wide) const { // from the large image to the one of many channels
        const ExprRef y = ir::truncating_mod(wide[2], size);
        const ExprRef x = ir::truncating_mod(wide[3], size);
        const ExprRef place = ir::add(ir::mul(y, size), x);
        const ExprRef channel = is_depth_first ? ir::add(ir::mul(place, channels), wide[1])
                                               : ir::add(ir::mul(wide[1], ir::mul(size, size)), place);
        return {wide[0], channel, ir::div(wide[2], size), ir::div(wide[3], size)};
    }
    Indices wide(const Indices& deep) const {
        const ExprRef area = ir::mul(size, size);
        const ExprRef place = is_depth_first ? ir::div(deep[1], channels) : ir::truncating_mod(deep[1], area);
        const ExprRef channel = is_depth_first ? ir::truncating_mod(deep[1], channels) : ir::div(deep[1], area);
        return {deep[0], channel, ir::add(ir::mul(deep[2], size), ir::div(place, size)),
                ir::add(ir::mul(deep[3], size), ir::truncating_mod(place, size))};
    }
};

std::int64_t block_size(const OpCall& call, const char* name) {
    const auto size = call.attributes.get<std::int64_t>("blocksize");
    if (call.inputs[0].shape.size() != 4)
        throw OpError(std::string(name) + " wants images of four dimensions, not " + text_of(call.inputs[0]));
    if (size < 1 || size > 1 << 20)
        throw OpError(std::string(name) + ": blocksize is " + std::to_string(size));
    return size;
}

// OpError, or a requirement, unless the extent is a multiple.
Dim divided(const Dim& extent, std::int64_t by, const char* name, TaskBuilder& builder) {
    builder.require(ir::equal(ir::floor_mod(extent, dim(by)), dim(0)),
                    std::string(name) + ": extent " + text_of(Shape{extent}) + " is not a multiple of " +
                        std::to_string(by));
    return simplified(ir::floor_div(extent, dim(by)));
}

Task define_depth_to_space(const OpCall& call) {
    const std::int64_t size = block_size(call, "depth_to_space");
    const auto mode = call.attributes.get<std::string>("mode");
    if (mode != "DCR" && mode != "CRD")
        throw OpError("depth_to_space has the modes DCR and CRD, not '" + mode + "'");
    const Shape& from = call.inputs[0].shape;
    TaskBuilder checks("depth_to_space");
    const Dim channels = divided(from[1], size * size, "depth_to_space", checks);
    const Blocks blocks{dim(size), channels, mode == "DCR"};
    const Shape to = {from[0], channels, simplified(ir::mul(from[2], dim(size))),
                      simplified(ir::mul(from[3], dim(size)))};
    Task task = define_move(
        call, "depth_to_space", to, [&](const Indices& axes) { return blocks.deep(axes); },
        [&](const Indices& axes) { return blocks.wide(axes); });
    task.requirements = checks.task().requirements;
    return task;
}

Task define_space_to_depth(const OpCall& call) {
    const std::int64_t size = block_size(call, "space_to_depth");
    const Shape& from = call.inputs[0].shape;
    TaskBuilder checks("space_to_depth");
    const Shape to = {from[0], simplified(ir::mul(from[1], dim(size * size))),
                      divided(from[2], size, "space_to_depth", checks),
                      divided(from[3], size, "space_to_depth", checks)};
    const Blocks blocks{dim(size), from[1], true};
    Task task = define_move(
        call, "space_to_depth", to, [&](const Indices& axes) { return blocks.wide(axes); },
        [&](const Indices& axes) { return blocks.deep(axes); });
    task.requirements = checks.task().requirements;
    return task;
}

} // namespace

const OpInfo& op_info::DepthToSpace() {
    static const OpInfo info = {
        .id = OpId::DepthToSpace,
        .python = "depth_to_space",
        .parameters = "x, blocksize: int, mode: str = 'DCR'",
        .cls = OpClass::Transform,
        .summary =
            "channels of images [n, c, h, w] spread over blocks of places; the channel counts blocks first (DCR) or "
            "last (CRD)",
        .example = "hidet.ops.depth_to_space(hidet.randn([1, 8, 2, 3]), 2)",
        .define = define_depth_to_space,
    };
    return info;
}

const OpInfo& op_info::SpaceToDepth() {
    static const OpInfo info = {
        .id = OpId::SpaceToDepth,
        .python = "space_to_depth",
        .parameters = "x, blocksize: int",
        .cls = OpClass::Transform,
        .summary = "blocks of places of images [n, c, h, w] gathered into channels",
        .example = "hidet.ops.space_to_depth(hidet.randn([1, 2, 4, 6]), 2)",
        .define = define_space_to_depth,
    };
    return info;
}

} // namespace hidet::graph
