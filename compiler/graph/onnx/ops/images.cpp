// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/onnx/ops/windows.h"

namespace hidet::graph::onnx {

namespace {

bool is_empty(const NodeCall& node, std::size_t i) {
    return !node.has(i) || ir::is_constant(element_count(node.shape(i)), 0);
}

// Before version 11 the standard did not say where elements come from. A smaller result takes the next element, as the
// runtimes of that time do: all dimensions of a node have one rounding here, and those that stay do not need it.
Vals resized_by_scales(NodeCall& node, const Floats& scales) {
    const bool shrinks = std::ranges::any_of(scales, [](double each) { return each < 1; });
    if (shrinks && std::ranges::any_of(scales, [](double each) { return each > 1; }))
        throw OpError("scales above and below 1 in one node are not supported before version 11");
    const std::string mode = node.s("mode", "nearest");
    return {node.add(OpId::Resize, {node.in()},
                     {{"scales", scales},
                      {"mode", mode == "bilinear" ? std::string("linear") : mode},
                      {"coordinate_transformation_mode", std::string("asymmetric")},
                      {"nearest_mode", std::string(shrinks ? "ceil" : "floor")}})};
}

} // namespace

Vals upsample(NodeCall& node) {
    return resized_by_scales(node, node.opset() >= 9 ? node.numbers_in(1) : node.floats("scales"));
}

Vals resize_10(NodeCall& node) {
    return resized_by_scales(node, node.numbers_in(1));
}

Vals resize(NodeCall& node) {
    Attributes attributes = {
        {"mode", node.s("mode", "nearest")},
        {"coordinate_transformation_mode", node.s("coordinate_transformation_mode", "half_pixel")},
        {"nearest_mode", node.s("nearest_mode", "round_prefer_floor")},
        {"cubic_coeff_a", node.f("cubic_coeff_a", -0.75)},
        {"exclude_outside", node.i("exclude_outside", 0) != 0},
        {"extrapolation_value", node.f("extrapolation_value", 0)},
        {"antialias", node.i("antialias", 0) != 0},
        {"keep_aspect_ratio_policy", node.s("keep_aspect_ratio_policy", "stretch")},
    };
    if (node.has_attribute("axes"))
        attributes.set("axes", node.ints("axes"));
    if (!is_empty(node, 3))
        attributes.set("sizes", node.dims_in(3));
    else if (!is_empty(node, 2))
        attributes.set("scales", Floats(node.numbers_in(2)));
    else
        throw OpError("neither sizes nor scales are given");
    if (node.s("coordinate_transformation_mode", "") == "tf_crop_and_resize")
        attributes.set("roi", Floats(node.numbers_in(1)));
    return {node.add(OpId::Resize, {node.in()}, std::move(attributes))};
}

Vals grid_sample(NodeCall& node) {
    std::string mode = node.s("mode", node.opset() >= 20 ? "linear" : "bilinear");
    if (mode == "bilinear" || mode == "bicubic")
        mode = mode.substr(2);
    return {node.add(OpId::GridSample, {node.in(0), node.in(1)},
                     {{"mode", mode},
                      {"padding_mode", node.s("padding_mode", "zeros")},
                      {"align_corners", node.i("align_corners", 0) != 0}})};
}

Vals roi_align(NodeCall& node) {
    const char* otherwise = node.opset() >= 16 ? "half_pixel" : "output_half_pixel";
    return {node.add(OpId::RoiAlign, {node.in(0), node.in(1), node.in(2)},
                     {{"output_height", node.i("output_height", 1)},
                      {"output_width", node.i("output_width", 1)},
                      {"sampling_ratio", node.i("sampling_ratio", 0)},
                      {"spatial_scale", node.f("spatial_scale", 1)},
                      {"mode", node.s("mode", "avg")},
                      {"coordinate_transformation_mode", node.s("coordinate_transformation_mode", otherwise)}})};
}

// The first of the five numbers of a region is that of its picture.
Vals max_roi_pool(NodeCall& node) {
    if (node.rank(1) != 2 || differ(node.shape(1)[1], dim(5)))
        throw OpError("the regions are of shape ", text_of(node.shape(1)), ", not five numbers for each");
    const Val picture = node.squeeze(node.slice(node.in(1), 1, dim(0), dim(1)), {1});
    return {node.add(OpId::MaxRoiPool,
                     {node.in(0), node.slice(node.in(1), 1, dim(1), dim(5)), node.cast(picture, ir::DType::I64)},
                     {{"pooled_shape", node.ints("pooled_shape")}, {"spatial_scale", node.f("spatial_scale", 1)}})};
}

Vals center_crop_pad(NodeCall& node) {
    Attributes attributes = {{"shape", node.dims_in(1)}};
    if (node.has_attribute("axes"))
        attributes.set("axes", node.ints("axes"));
    return {node.add(OpId::CenterCropPad, {node.in()}, std::move(attributes))};
}

Vals col2im(NodeCall& node) {
    const Ints block = node.ints_in(2);
    return {node.add(OpId::Col2Im, {node.in()},
                     {{"image_shape", node.dims_in(1)},
                      {"block_shape", block},
                      {"dilations", node.ints("dilations", Ints(block.size(), 1))},
                      {"padding", node.ints("pads", Ints(block.size() * 2, 0))},
                      {"stride", node.ints("strides", Ints(block.size(), 1))}})};
}

} // namespace hidet::graph::onnx
