// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/graph/core/list_attributes.h"
#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/passes/rules/rules.h"
#include "compiler/ir/ops.h"
#include "lang/base/transformed.h"
#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

bool is_convolution(const Rewriting& rewriting, NodeId node) {
    return node.valid() &&
           rewriting.is_any_of(node, {OpId::Conv1d, OpId::Conv2d, OpId::Conv2dChannelLast, OpId::Conv3d, OpId::ConvNd});
}

bool is_transposed_convolution(const Rewriting& rewriting, NodeId node) {
    return node.valid() && rewriting.is_any_of(node, {OpId::Conv1dTranspose, OpId::Conv2dTranspose,
                                                      OpId::Conv3dTranspose, OpId::ConvNdTranspose});
}

// [out channels, ...] of a convolution; [channels, out channels / groups, ...] of a transposed one.
Shape scale_shape(std::size_t rank, const Dim& channels, bool is_transposed) {
    Shape shape(rank, dim(1));
    shape[is_transposed ? 1 : 0] = channels;
    return shape;
}

// As `first`, but perhaps for the number of output channels.
bool is_sibling(const Rewriting& rewriting, NodeId first, NodeId other) {
    if (!rewriting.is(other, OpId::Conv2d) || rewriting.input(other, 0) != rewriting.input(first, 0) ||
        !rewriting.is_constant(rewriting.input(other, 1)) ||
        rewriting.graph.node(other).get<std::int64_t>("groups") != 1 || !same_attributes(rewriting, first, other))
        return false;
    const TensorSpec& w = rewriting.spec(rewriting.input(first, 1));
    const TensorSpec& v = rewriting.spec(rewriting.input(other, 1));
    return w.dtype == v.dtype &&
           same_shape(Shape(w.shape.begin() + 1, w.shape.end()), Shape(v.shape.begin() + 1, v.shape.end()));
}

// What is multiplied: a convolution, whose result a half-precision model may have cast for a batch normalisation in f32.
struct ScaledConvolution {
    NodeId node;
    bool is_transposed = false;
    std::int64_t channels = 1; // which dimension of the result they are
    std::optional<ir::DType> cast_to;
};
std::optional<ScaledConvolution> scaled_convolution(const Rewriting& rewriting, ValueId x) {
    ScaledConvolution out;
    if (const NodeId cast = rewriting.made_by(x, OpId::Cast); cast.valid()) {
        out.cast_to = rewriting.spec(x).dtype;
        x = rewriting.input(cast, 0);
        if (!ir::is_float(*out.cast_to) || !ir::is_float(rewriting.spec(x).dtype) || !rewriting.only_reader(x, cast) ||
            significand_bits(*out.cast_to) < significand_bits(rewriting.spec(x).dtype))
            return std::nullopt;
    }
    out.node = rewriting.graph.value(x).producer;
    out.is_transposed = is_transposed_convolution(rewriting, out.node);
    if (!out.is_transposed && !is_convolution(rewriting, out.node))
        return std::nullopt;
    if (rewriting.is(out.node, OpId::Conv2dChannelLast))
        out.channels = 3;
    return out;
}

// Whether rounding cost no weight more than an ulp of the largest of its channel: a small scale can take weights of half precision
// below the normal numbers, where few bits are left.
bool is_rounded_well(const lang::Tensor& exact, const lang::Tensor& rounded, std::size_t channel_dim) {
    const lang::Doubles wanted = lang::read_doubles(exact), got = lang::read_doubles(rounded);
    const auto channels = static_cast<std::size_t>(exact.shape[channel_dim]);
    std::size_t inner = 1;
    for (std::size_t i = channel_dim + 1; i < exact.shape.size(); ++i)
        inner *= static_cast<std::size_t>(exact.shape[i]);
    std::vector<double> largest(channels), error(channels);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::size_t channel = i / inner % channels;
        largest[channel] = std::max(largest[channel], std::abs(wanted[i]));
        error[channel] = std::max(error[channel], std::abs(wanted[i] - got[i]));
    }
    const double ulp = std::ldexp(1.0, 1 - significand_bits(rounded.dtype));
    return std::ranges::equal(error, largest, [&](double lost, double most) { return lost <= most * ulp; });
}

// Nothing where they are not what they should be, but for rounding.
std::optional<ValueId> scaled_weights(Rewriting& rewriting, const ScaledConvolution& conv, ValueId factor) {
    const ValueId w = rewriting.input(conv.node, 1);
    const ir::DType dtype = rewriting.spec(w).dtype;
    const ValueId wide = conv.cast_to ? rewriting.add(OpId::Cast, {w}, {{"dtype", *conv.cast_to}}) : w;
    const ValueId exact = rewriting.add(OpId::Multiply, {wide, factor});
    const ValueId weights = conv.cast_to ? rewriting.add(OpId::Cast, {exact}, {{"dtype", dtype}}) : exact;
    if (!rewriting.is_constant(weights) || !is_finite(*rewriting.graph.value(weights).data))
        return std::nullopt;
    if (conv.cast_to && !is_rounded_well(*rewriting.graph.value(exact).data, *rewriting.graph.value(weights).data,
                                         conv.is_transposed ? 1 : 0))
        return std::nullopt;
    rewriting.graph.value(weights).name = rewriting.graph.value(w).name;
    return weights;
}

bool is_zero(const Attribute& value) {
    if (const auto* number = std::get_if<double>(&value))
        return *number == 0;
    const auto* whole = std::get_if<std::int64_t>(&value);
    return whole && *whole == 0;
}

} // namespace

bool scale_into_convolution(Rewriting& rewriting, NodeId root) {
    const auto scaled = constant_operand(rewriting, root);
    if (!scaled || !rewriting.only_reader(scaled->x, root))
        return false;
    const auto conv = scaled_convolution(rewriting, scaled->x);
    if (!conv)
        return false;
    const ValueId w = rewriting.input(conv->node, 1);
    const TensorSpec result = rewriting.spec(scaled->x);
    const Shape scale = rewriting.spec(scaled->constant).shape;
    const auto at = dimension_of(scale, result.shape.size());
    if (!at || (*at != conv->channels && *at != -1) || !rewriting.is_constant(w) || result.shape.size() < 3 ||
        rewriting.spec(scaled->constant).dtype != result.dtype || !ir::is_float(result.dtype) ||
        (!conv->cast_to && rewriting.spec(w).dtype != result.dtype) ||
        !same_shape(rewriting.spec(rewriting.output(root)).shape, result.shape) ||
        (conv->is_transposed && *at != -1 && rewriting.graph.node(conv->node).get<std::int64_t>("groups") != 1))
        return false;
    const Dim channels = *at == -1 ? dim(1) : result.shape[static_cast<std::size_t>(*at)];
    const ValueId factor = rewriting.reshaped(
        scaled->constant, scale_shape(rewriting.spec(w).shape.size(), channels, conv->is_transposed));
    const auto weights = scaled_weights(rewriting, *conv, factor);
    if (!weights)
        return false;
    const ValueId y = rewriting.add(rewriting.graph.node(conv->node).op->id, {rewriting.input(conv->node, 0), *weights},
                                    rewriting.attributes(conv->node));
    return rewriting.becomes(root, conv->cast_to ? rewriting.add(OpId::Cast, {y}, {{"dtype", *conv->cast_to}}) : y);
}

// Zeros that a Pad puts around an image are those of the convolution that reads it.
bool pad_into_convolution(Rewriting& rewriting, NodeId root) {
    const NodeId pad = rewriting.made_by(rewriting.input(root, 0), OpId::Pad);
    const bool is_last = rewriting.is(root, OpId::Conv2dChannelLast);
    if (!pad.valid() || rewriting.graph.node(pad).inputs.size() != 1 ||
        rewriting.graph.node(pad).get<std::string>("mode") != "constant" ||
        (is_last && !rewriting.options.target.is_cuda()))
        return false; // on a CPU narrow images are padded before: conv_channel_last.cpp
    const Attribute* value = rewriting.graph.node(pad).attributes.find("value");
    const std::size_t rank = rewriting.spec(rewriting.input(pad, 0)).shape.size();
    const Shape pads = pads_of(rewriting.graph.call_of(pad));
    if (value && !is_zero(*value))
        return false;
    const std::size_t first = is_last ? 1 : 2;
    Ints padding = paddings(rewriting.graph.call_of(root).attributes, rank - 2, "convolution");
    for (std::size_t i = 0; i < pads.size(); ++i) {
        const std::size_t at = i % rank;
        const auto constant = constant_of(pads[i]);
        const bool is_spatial = at >= first && at < first + rank - 2;
        if (!constant || *constant < 0 || (!is_spatial && *constant != 0))
            return false;
        if (is_spatial)
            padding[i / rank * (rank - 2) + at - first] += *constant;
    }
    Attributes attributes = rewriting.attributes(root);
    attributes.set("padding", std::move(padding));
    return rewriting.becomes(root,
                             rewriting.add(rewriting.graph.node(root).op->id,
                                           {rewriting.input(pad, 0), rewriting.input(root, 1)}, std::move(attributes)));
}

bool merge_convolutions(Rewriting& rewriting, NodeId root) {
    const ValueId x = rewriting.input(root, 0);
    std::vector<NodeId> convolutions;
    for (const Use& use : rewriting.graph.value(x).uses)
        if (use.input == 0 && is_sibling(rewriting, root, use.node))
            convolutions.push_back(use.node);
    std::ranges::sort(convolutions);
    if (convolutions.size() < 2 || convolutions.front() != root)
        return false;
    std::vector<ValueId> weights = transformed(convolutions, [&](NodeId each) { return rewriting.input(each, 1); });
    const ValueId all = rewriting.add(OpId::Concat, weights, {{"axis", std::int64_t(0)}});
    const ValueId y = rewriting.add(OpId::Conv2d, {x, all}, rewriting.attributes(root));
    Dim start = dim(0);
    for (NodeId each : convolutions) {
        const Dim end = simplified(ir::add(start, rewriting.spec(rewriting.input(each, 1)).shape[0]));
        rewriting.replace(
            rewriting.output(each),
            rewriting.add(OpId::StridedSlice, {y},
                          {{"starts", Shape{start}}, {"ends", Shape{end}}, {"axes", Ints{1}}, {"strides", Ints{1}}}));
        start = end;
    }
    return true;
}

// How many groups are computed as one. Products by zeros cost less than reads of a few bytes: a warp of conv_grouped.py, which takes
// the result, reads 16 channels of a pixel at once, or 8 where the groups do not come out even. On a CPU a vector of results has the
// channels of one group.
std::int64_t joined_groups(bool is_cuda, std::int64_t groups, std::int64_t channels, std::int64_t features) {
    if (channels != 2 && channels != 4 && channels != 8)
        return 1;
    for (const std::int64_t whole : {16, 8}) {
        const std::int64_t joined = whole / channels;
        if (groups % joined == 0 && groups != joined && features / groups * joined % whole == 0)
            return joined;
        if (!is_cuda)
            break;
    }
    return 1;
}

bool narrow_groups(Rewriting& rewriting, NodeId root) {
    const ValueId x = rewriting.input(root, 0), w = rewriting.input(root, 1);
    const ir::DType dtype = rewriting.spec(x).dtype;
    const auto weights = constant_shape(rewriting.spec(w).shape);
    const auto groups = rewriting.graph.node(root).get<std::int64_t>("groups");
    const auto& target = rewriting.options.target;
    const bool is_meant =
        target.is_cuda() ? target.arch.number >= 80 && is_half(dtype) : dtype == ir::DType::F32 && groups > 1;
    if (!is_meant || !weights || !rewriting.is_constant(w) || rewriting.spec(w).dtype != dtype)
        return false;
    const std::int64_t channels = (*weights)[1];
    const std::int64_t joined = joined_groups(target.is_cuda(), groups, channels, (*weights)[0]);
    if (joined == 1)
        return false;

    const std::int64_t wide = groups / joined, taps = (*weights)[2] * (*weights)[3];
    Ints numbers(static_cast<std::size_t>(joined));
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto counted = [&](Shape shape) {
        return rewriting.reshaped(rewriting.constant(make_ints(numbers)), std::move(shape));
    };
    const ValueId own = rewriting.add(
        OpId::Equal, {counted({dim(joined), dim(1), dim(1), dim(1), dim(1)}), counted({dim(joined), dim(1), dim(1)})});
    const ValueId apart =
        rewriting.reshaped(w, {dim(wide), dim(joined), dim((*weights)[0] / groups), dim(1), dim(channels), dim(taps)});
    const ValueId padded =
        rewriting.reshaped(rewriting.add(OpId::Where, {own, apart, rewriting.number(0, dtype)}),
                           {dim((*weights)[0]), dim(joined * channels), dim((*weights)[2]), dim((*weights)[3])});
    rewriting.graph.value(padded).name = rewriting.graph.value(w).name;
    Attributes attributes = rewriting.attributes(root);
    attributes.set("groups", wide);
    return rewriting.becomes(root, rewriting.add(OpId::Conv2dChannelLast, {x, padded}, std::move(attributes)));
}

} // namespace hidet::graph
