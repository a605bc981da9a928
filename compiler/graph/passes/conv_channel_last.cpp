// SPDX-License-Identifier: Apache-2.0
// Lays out images with channels last: convolutions and poolings of rank 4, convolutions of rank 3 and 5, and what stands between
// them and treats all elements alike, reduces whole dimensions or normalises groups of channels. A tensor that enters such a
// region is permuted once; what leaves it is permuted back where it is read. Lines, of rank 3, are images of one row there:
// [batch, channels, length] becomes [batch, 1, length, channels]. A convolution of volumes is one of images: the layers that its
// window reads are channels of one image for each layer of the result.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "compiler/graph/core/list_attributes.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/passes/channel_last_gain.h"
#include "compiler/graph/passes/channel_rows.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

const Ints turned = {0, 2, 1};               // of a line
constexpr std::int64_t most_repeated = 4096; // an element of a constant that is broadcast
constexpr std::size_t line_rank = 3, image_rank = 4, volume_rank = 5;

// Permutations of this rank: channels, dimension 1, go behind all others, and back.
Ints to_last(std::size_t rank) {
    Ints axes(rank);
    std::iota(axes.begin(), axes.end(), 0);
    std::rotate(axes.begin() + 1, axes.begin() + 2, axes.end());
    return axes;
}
Ints to_first(std::size_t rank) {
    Ints axes(rank);
    std::iota(axes.begin(), axes.end(), 0);
    std::rotate(axes.begin() + 1, axes.end() - 1, axes.end());
    return axes;
}

// [batch, channels, length] with the row, or what broadcasts so; channels first or last.
Shape with_row(Shape line, std::ptrdiff_t at) {
    line.insert(line.begin() + at, dim(1));
    return line;
}
constexpr std::ptrdiff_t row_of_first = 2, row_of_last = 1;

// A line's attributes as those of an image: a window has one number for each dimension, or two for both ends.
Attributes of_image(Attributes attributes) {
    for (const char* name : {"stride", "dilations"})
        if (const Ints given = attributes.get_or<Ints>(name, {}); !given.empty())
            attributes.set(name, Ints{1, given[0]});
    if (const Ints given = attributes.get_or<Ints>("padding", {}); !given.empty())
        attributes.set("padding", Ints{0, given.front(), 0, given.back()});
    return attributes;
}

class Region {
public:
    explicit Region(PassState& state) : m_state(state), m_graph(state.graph) {}

    void run() {
        for (NodeId node : m_graph.topological()) {
            if (m_state.is_cancelled())
                break;
            const OpId op = m_graph.node(node).op->id;
            const OpId last = channel_last_of(op);
            if (op == OpId::Conv3d)
                convert_volume(node);
            else if (last != OpId::None) {
                if (is_convolution(op) || op == OpId::IntegerConv2d ||
                    m_last.contains(m_graph.node(node).inputs[0].index))
                    convert_image(node, info_of(last));
            } else if (op == OpId::Concat)
                convert_concat(node);
            else if (op == OpId::Pad)
                convert_pad(node);
            else if (op == OpId::StridedSlice)
                convert_slice(node);
            else if (op == OpId::Normalize)
                convert_normalize(node);
            else if (op == OpId::Reshape)
                convert_reshape(node);
            else if (m_graph.node(node).op->cls == OpClass::Elementwise)
                convert_elementwise(node);
            else if (reduces_dimensions(node))
                convert_reduction(node);
        }
        leave();
    }

private:
    static bool is_convolution(OpId op) { return op == OpId::Conv2d || op == OpId::Conv1d; }
    static OpId channel_last_of(OpId op) {
        switch (op) {
        case OpId::Conv1d:
        case OpId::Conv2d: return OpId::Conv2dChannelLast;
        case OpId::IntegerConv2d: return OpId::IntegerConv2dChannelLast;
        case OpId::MaxPool2d: return OpId::MaxPool2dChannelLast;
        case OpId::AvgPool2d: return OpId::AvgPool2dChannelLast;
        case OpId::AdaptiveAvgPool2d: return OpId::AdaptiveAvgPool2dChannelLast;
        default: return OpId::None;
        }
    }
    std::size_t rank_of(ValueId value) const { return m_graph.value(value).spec.shape.size(); }
    bool is_image(ValueId value) const { return rank_of(value) == image_rank; }
    bool has_layers(ValueId value) const { return is_image(value) || rank_of(value) == volume_rank; }
    bool is_line(ValueId value) const { return rank_of(value) == line_rank; }

    bool is_known(ValueId value) const {
        const auto& data = m_graph.value(value).data;
        return data && data->has_data();
    }
    ValueId moved(NodeId node, ValueId value, const OpInfo& op, const Attributes& attributes) {
        const Value& from = m_graph.value(value);
        if (is_known(value)) {
            const OpCall call(op, {from.spec}, attributes);
            if (const auto folded = fold(call, {from.data}, most_repeated * from.data->count()))
                return m_graph.add_constant(folded->front(), from.name);
        }
        return m_graph.add_one(op, {value}, attributes, origin_of(node));
    }
    ValueId permuted(NodeId node, ValueId value, const Ints& axes) {
        return moved(node, value, op_info::PermuteDims(), {{"axes", axes}});
    }
    ValueId reshaped(NodeId node, ValueId value, Shape shape) {
        return moved(node, value, op_info::Reshape(), {{"shape", std::move(shape)}});
    }
    ValueId last(NodeId node, ValueId value) {
        if (const auto found = m_last.find(value.index); found != m_last.end())
            return found->second;
        return m_last[value.index] =
                   is_line(value) ? line_last(node, value) : permuted(node, value, to_last(rank_of(value)));
    }
    ValueId line_last(NodeId node, ValueId value) {
        const ValueId line = permuted(node, value, turned);
        return reshaped(node, line, with_row(m_graph.value(line).spec.shape, row_of_last));
    }
    ValueId first(NodeId node, ValueId value) {
        const ValueId from = m_last.at(value.index);
        const auto view = m_views.find(value.index);
        if (view != m_views.end())
            return reshaped(node, first(node, from, view->second.size()), m_graph.value(value).spec.shape);
        return first(node, from, rank_of(value));
    }
    ValueId first(NodeId node, ValueId from, std::size_t rank) {
        if (rank != line_rank)
            return permuted(node, from, to_first(rank));
        Shape line = m_graph.value(from).spec.shape;
        line.erase(line.begin() + row_of_last);
        return permuted(node, reshaped(node, from, std::move(line)), turned);
    }
    // As an operand of an element-wise operator with a result of this rank: scalars as they are, else with all dimensions.
    std::optional<ValueId> operand(NodeId node, ValueId value, std::size_t rank) {
        const Shape shape = m_graph.value(value).spec.shape;
        if (shape.empty())
            return value;
        if (shape.size() == rank)
            return last(node, value);
        if (!is_known(value) || shape.size() > rank)
            return std::nullopt;
        Shape whole(rank - shape.size(), dim(1));
        whole.insert(whole.end(), shape.begin(), shape.end());
        if (rank == line_rank)
            whole = with_row(std::move(whole), row_of_first);
        const Ints axes = to_last(whole.size());
        return permuted(node, reshaped(node, value, std::move(whole)), axes);
    }

    NodeOrigin origin_of(NodeId node) const { return {{}, m_graph.node(node).site, {node}, "conv-channel-last"}; }
    void make(NodeId id, const OpInfo& op, std::vector<ValueId> inputs, Attributes attributes) {
        const ValueId result = made(id, op, std::move(inputs), std::move(attributes));
        m_last[m_graph.node(id).outputs[0].index] = result;
    }
    ValueId made(NodeId id, const OpInfo& op, std::vector<ValueId> inputs, Attributes attributes) {
        NodeOrigin origin = origin_of(id);
        origin.name = m_graph.node(id).name;
        const ValueId result = m_graph.add_one(op, std::move(inputs), std::move(attributes), std::move(origin));
        m_converted.push_back(id);
        m_state.record.matches.push_back({"conv-channel-last", {id}, {m_graph.value(result).producer}, {}});
        return result;
    }

    void convert_image(NodeId id, const OpInfo& op) {
        std::vector<ValueId> inputs = m_graph.node(id).inputs;
        const bool is_of_line = is_line(inputs[0]);
        if ((!is_image(inputs[0]) && !is_of_line) || m_graph.node(id).outputs.size() != 1)
            return;
        inputs[0] = last(id, inputs[0]);
        Attributes attributes = m_graph.node(id).attributes;
        if (is_of_line) {
            attributes = of_image(std::move(attributes));
            inputs[1] = reshaped(id, inputs[1], with_row(m_graph.value(inputs[1]).spec.shape, row_of_first));
        }
        if (is_convolution(m_graph.node(id).op->id))
            pad_first(id, inputs[0], attributes);
        make(id, op, std::move(inputs), std::move(attributes));
    }
    static bool is_laid_out(std::size_t rank) { return rank >= line_rank && rank <= volume_rank; }

    // [batch, depth, height, width, channels] as images of the result's layers, each with the layers that its window reads. Where
    // the window is one pixel of each layer, the layers are rows of images whose columns are pixels. Where each channel is
    // convolved for itself, what the layers of the window make of it is added up.
    void convert_volume(NodeId id) {
        const Node node = m_graph.node(id); // a copy: nodes move when others are added
        const Attributes given = m_graph.call_of(id).attributes;
        const Ints padding = paddings(given, 3, "conv3d");
        const Ints stride = per_dimension(given, "stride", 3, 1, "conv3d");
        const Ints dilations = per_dimension(given, "dilations", 3, 1, "conv3d");
        const auto groups = given.get<std::int64_t>("groups");
        const Shape w = m_graph.value(node.inputs[1]).spec.shape;
        const auto depth = constant_of(m_graph.value(node.inputs[0]).spec.shape[2]);
        const auto taps = constant_of(w[2]);
        const auto layers = constant_of(m_graph.value(node.outputs[0]).spec.shape[2]);
        if (!depth || !taps || !layers || *taps < 1 || *layers < 1)
            return;
        const ValueId x = last(id, node.inputs[0]);
        Attributes attributes = node.attributes;
        attributes.set("padding", Ints{padding[1], padding[2], padding[4], padding[5]});
        attributes.set("stride", Ints{stride[1], stride[2]});
        attributes.set("dilations", Ints{dilations[1], dilations[2]});
        const Layers of = {*taps, *layers, stride[0], dilations[0], padding[0], padding[3]};
        const bool is_of_pixels = constant_of(w[3]) == 1 && constant_of(w[4]) == 1 && stride[1] * stride[2] == 1 &&
                                  padding[1] + padding[2] + padding[4] + padding[5] == 0;
        ValueId y;
        if (is_of_pixels && *taps > 1) {
            attributes.set("padding", Ints{of.before, 0, of.after, 0});
            attributes.set("stride", Ints{of.stride, 1});
            attributes.set("dilations", Ints{of.dilation, 1});
            const Shape volume = m_graph.value(x).spec.shape;
            const ValueId image = reshaped(id, x, {volume[0], volume[1], product(volume[2], volume[3]), volume[4]});
            const ValueId weights = reshaped(id, node.inputs[1], {w[0], w[1], w[2], dim(1)});
            y = made(id, op_info::Conv2dChannelLast(), {image, weights}, std::move(attributes));
        } else if (groups > 1 && *taps > 1 && constant_of(w[1]) == 1) {
            y = sum_of_layers(id, layers_of_windows(id, x, of), attributes);
        } else {
            const ValueId images = joined_layers(id, layers_of_windows(id, x, of), groups);
            const ValueId weights =
                reshaped(id, permuted(id, node.inputs[1], {0, 2, 1, 3, 4}), {w[0], product(w[1], w[2]), w[3], w[4]});
            y = made(id, op_info::Conv2dChannelLast(), {images, weights}, std::move(attributes));
        }
        const ValueId result = node.outputs[0];
        Shape volume = m_graph.value(result).spec.shape;
        std::rotate(volume.begin() + 1, volume.begin() + 2, volume.end());
        m_last[result.index] = reshaped(id, y, std::move(volume));
    }
    static Dim product(const Dim& a, const Dim& b) { return simplified(ir::mul(a, b)); }
    ValueId as_images(NodeId id, ValueId volume) {
        const Shape shape = m_graph.value(volume).spec.shape;
        return reshaped(id, volume, {product(shape[0], shape[1]), shape[2], shape[3], shape.back()});
    }
    ValueId sum_of_layers(NodeId id, const std::vector<ValueId>& layers, const Attributes& attributes) {
        const ValueId all = m_graph.node(id).inputs[1];
        const Shape w = m_graph.value(all).spec.shape;
        ValueId sum;
        for (std::size_t tap = 0; tap < layers.size(); ++tap) {
            const auto at = static_cast<std::int64_t>(tap);
            const ValueId of_tap = moved(id, all, op_info::StridedSlice(), cut(2, at, at + 1, 1));
            const ValueId y =
                m_graph.add_one(op_info::Conv2dChannelLast(),
                                {as_images(id, layers[tap]), reshaped(id, of_tap, {w[0], w[1], w[3], w[4]})},
                                attributes, origin_of(id));
            if (tap == 0)
                sum = y;
            else if (tap + 1 < layers.size())
                sum = m_graph.add_one(op_info::Add(), {sum, y}, {}, origin_of(id));
            else
                sum = made(id, op_info::Add(), {sum, y}, {});
        }
        return sum;
    }
    static Attributes cut(std::int64_t axis, std::int64_t start, std::int64_t end, std::int64_t stride) {
        return {
            {"starts", Shape{dim(start)}}, {"ends", Shape{dim(end)}}, {"axes", Ints{axis}}, {"strides", Ints{stride}}};
    }
    struct Layers {
        std::int64_t taps, count, stride, dilation, before, after;
    };
    // Of each tap of the window: the layers that it reads.
    std::vector<ValueId> layers_of_windows(NodeId id, ValueId x, const Layers& of) {
        if (of.before != 0 || of.after != 0) {
            Shape pads(2 * volume_rank, dim(0));
            pads[1] = dim(of.before);
            pads[volume_rank + 1] = dim(of.after);
            x = moved(id, x, op_info::Pad(), {{"pads", std::move(pads)}});
        }
        std::vector<ValueId> layers;
        for (std::int64_t tap = 0; tap < of.taps; ++tap) {
            const std::int64_t first = tap * of.dilation;
            if (of.stride == 1 && constant_of(m_graph.value(x).spec.shape[1]) == of.count)
                layers.push_back(x); // all of them
            else
                layers.push_back(moved(id, x, op_info::StridedSlice(),
                                       cut(1, first, first + (of.count - 1) * of.stride + 1, of.stride)));
        }
        return layers;
    }
    // As channels of one image: those of a group beside each other.
    ValueId joined_layers(NodeId id, std::vector<ValueId> layers, std::int64_t groups) {
        if (layers.size() == 1)
            return as_images(id, layers[0]);
        const auto channels = static_cast<std::int64_t>(volume_rank) - 1;
        Shape shape = m_graph.value(layers[0]).spec.shape;
        const auto taps = static_cast<std::int64_t>(layers.size());
        const Dim together = product(shape.back(), dim(taps));
        if (groups > 1) {
            shape.back() = simplified(ir::floor_div(shape.back(), dim(groups)));
            shape.insert(shape.end() - 1, dim(groups));
            for (ValueId& layer : layers)
                layer = reshaped(id, layer, shape);
        }
        const std::int64_t axis = groups > 1 ? channels + 1 : channels;
        const ValueId joined = m_graph.add_one(op_info::Concat(), layers, {{"axis", axis}}, origin_of(id));
        if (groups == 1)
            return as_images(id, joined);
        return reshaped(id, joined, {product(shape[0], shape[1]), shape[2], shape[3], together});
    }
    // Runs of few channels are short; where nothing is padded, those of neighbouring pixels are one.
    void pad_first(NodeId id, ValueId& image, Attributes& attributes) {
        const auto channels = constant_of(m_graph.value(image).spec.shape.back());
        const Ints sides = attributes.find("padding") ? paddings(attributes, 2, "convolution") : Ints(4, 0);
        if (m_state.options.target.is_cuda() || !channels || *channels >= least_channels_on_cpu || sides == Ints(4, 0))
            return;
        Shape pads;
        for (const std::int64_t pad : {std::int64_t{0}, sides[0], sides[1], std::int64_t{0}, std::int64_t{0}, sides[2],
                                       sides[3], std::int64_t{0}})
            pads.push_back(dim(pad));
        image = m_graph.add_one(op_info::Pad(), {image}, {{"pads", std::move(pads)}}, origin_of(id));
        attributes.set("padding", Ints{0, 0});
    }
    bool reads_region(NodeId id) const {
        return std::ranges::any_of(m_graph.node(id).inputs,
                                   [&](ValueId input) { return m_last.contains(input.index); });
    }
    void convert_concat(NodeId id) {
        const std::size_t rank = rank_of(m_graph.node(id).outputs[0]);
        if (!reads_region(id) || !is_laid_out(rank))
            return;
        std::vector<ValueId> inputs = m_graph.node(id).inputs;
        for (ValueId& input : inputs)
            input = last(id, input);
        Attributes attributes = m_graph.node(id).attributes;
        std::int64_t axis = normalise_axis(m_graph.node(id).get<std::int64_t>("axis"), rank, "axis");
        if (rank == line_rank && axis >= row_of_first)
            ++axis; // behind the row
        const Ints axes = to_last(std::max(rank, image_rank));
        attributes.set("axis", std::ranges::find(axes, axis) - axes.begin());
        make(id, *m_graph.node(id).op, std::move(inputs), std::move(attributes));
    }
    // What pads the images of the region, or those that only convolutions read.
    void convert_pad(NodeId id) {
        const ValueId image = m_graph.node(id).inputs[0];
        if (!is_image(image) || m_graph.node(id).inputs.size() != 1 || !is_better_last(id))
            return;
        const Shape pads = pads_of(m_graph.call_of(id));
        const Ints axes = to_last(image_rank);
        Shape moved;
        for (std::size_t i = 0; i < pads.size(); ++i)
            moved.push_back(pads[i / image_rank * image_rank + static_cast<std::size_t>(axes[i % image_rank])]);
        Attributes attributes = m_graph.node(id).attributes;
        attributes.set("pads", std::move(moved));
        make(id, *m_graph.node(id).op, {last(id, image)}, std::move(attributes));
    }
    // Likewise what is cut out of them.
    void convert_slice(NodeId id) {
        const ValueId image = m_graph.node(id).inputs[0];
        if (!is_image(image) || !is_better_last(id))
            return;
        Attributes attributes = m_graph.node(id).attributes;
        Ints cut = attributes.get_or<Ints>("axes", {});
        if (cut.empty()) // the first ones
            cut = {0, 1, 2, 3};
        const auto cuts = std::min(cut.size(), m_graph.node(id).get<Shape>("starts").size());
        cut.resize(cuts);
        const Ints axes = to_last(image_rank);
        for (std::int64_t& axis : cut)
            axis = std::ranges::find(axes, normalise_axis(axis, image_rank, "axis")) - axes.begin();
        attributes.set("axes", std::move(cut));
        make(id, *m_graph.node(id).op, {last(id, image)}, std::move(attributes));
    }
    // What is read lies so already, or convolutions want it.
    bool is_better_last(NodeId id) const {
        return reads_region(id) || has_channels_turned(m_graph.node(id).inputs[0]) ||
               is_read_by_convolutions(m_graph.node(id).outputs[0]);
    }
    bool has_channels_turned(ValueId value) const {
        const NodeId by = m_graph.value(value).producer;
        return by.valid() && m_graph.node(by).is(OpId::PermuteDims) &&
               m_graph.node(by).get<Ints>("axes") == to_first(rank_of(value));
    }
    bool is_read_by_convolutions(ValueId value) const {
        const std::vector<Use>& uses = m_graph.value(value).uses;
        return !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) {
            return use.node.valid() &&
                   (is_convolution(m_graph.node(use.node).op->id) || m_graph.node(use.node).is(OpId::IntegerConv2d));
        });
    }
    // What normalises each image over its pixels, with its channels in groups, all as one or each for itself: said of the image,
    // or of a view in which the groups, or what is reduced, are dimensions.
    void convert_normalize(NodeId id) {
        if (!m_state.options.target.is_cuda())
            return;
        const Node node = m_graph.node(id); // a copy: nodes move when others are added
        const NodeId cast = made_outside(node.inputs[0], OpId::Cast);
        const ValueId image = viewed(cast.valid() ? m_graph.node(cast).inputs[0] : node.inputs[0]);
        if (!m_last.contains(image.index) || m_views.contains(image.index) || !is_laid_out(rank_of(image)))
            return;
        const Shape base = m_graph.value(image).spec.shape;
        const auto groups =
            groups_of_rows(m_graph.value(node.inputs[0]).spec.shape, dims_of(node, node.inputs[0]), base);
        if (!groups)
            return;
        ValueId from = m_last.at(image.index);
        if (cast.valid())
            from = moved(id, from, op_info::Cast(), Attributes(m_graph.node(cast).attributes));
        Attributes attributes = node.attributes;
        if (*groups == 1) {
            attributes.set("dims", dims_from(1, std::max(base.size(), image_rank)));
            make(id, *node.op, {from}, std::move(attributes));
        } else {
            make(id, op_info::NormalizeChannelLast(), {from}, of_groups(attributes, *groups));
        }
        if (!same_shape(m_graph.value(node.outputs[0]).spec.shape, base))
            m_views[node.outputs[0].index] = base;
    }
    static Attributes of_groups(const Attributes& of_rows, std::int64_t groups) {
        Attributes attributes = {{"groups", groups}};
        for (const char* name : {"epsilon", "accumulate_dtype"})
            if (const Attribute* given = of_rows.find(name))
                attributes.set(name, *given);
        return attributes;
    }
    Ints dims_of(const Node& node, ValueId of) const {
        Ints dims = node.get<Ints>("dims");
        for (std::int64_t& each : dims)
            each = normalise_axis(each, rank_of(of), "dimension");
        return dims;
    }
    // The node that makes a value that is no image of the region, if it is such an operator.
    NodeId made_outside(ValueId value, OpId op) const {
        const NodeId by = m_graph.value(value).producer;
        return by.valid() && !m_last.contains(value.index) && m_graph.node(by).is(op) ? by : NodeId();
    }
    // What a reshape makes its result of, or the value itself.
    ValueId viewed(ValueId value) const {
        const NodeId by = made_outside(value, OpId::Reshape);
        return by.valid() ? m_graph.node(by).inputs[0] : value;
    }
    // A view of an image that becomes the image.
    void convert_reshape(NodeId id) {
        const ValueId input = m_graph.node(id).inputs[0], output = m_graph.node(id).outputs[0];
        const auto view = m_views.find(input.index);
        if (view == m_views.end() || !same_shape(view->second, m_graph.value(output).spec.shape))
            return;
        m_last[output.index] = m_last.at(input.index);
        m_converted.push_back(id);
    }
    // Of views, with constants that have a number for each channel, or for each group.
    void convert_elementwise_of_view(NodeId id, const Shape& base) {
        const Node node = m_graph.node(id);
        const Shape shape = m_graph.value(node.outputs[0]).spec.shape;
        std::vector<ValueId> inputs = node.inputs;
        for (ValueId& input : inputs) {
            const auto view = m_views.find(input.index);
            const bool is_view = view != m_views.end();
            if (is_view && same_shape(m_graph.value(input).spec.shape, shape) && same_shape(view->second, base)) {
                input = m_last.at(input.index);
                continue;
            }
            const auto operand = is_view ? std::nullopt : operand_of_view(id, input, shape, base);
            if (!operand)
                return;
            input = *operand;
        }
        make(id, *node.op, std::move(inputs), node.attributes);
        m_views[node.outputs[0].index] = base;
    }
    std::optional<ValueId> operand_of_view(NodeId id, ValueId value, const Shape& view, const Shape& base) {
        const Shape shape = m_graph.value(value).spec.shape;
        if (shape.empty())
            return value;
        const auto rows = is_known(value) ? rows_of_operand(shape, view, base) : std::nullopt;
        if (!rows)
            return std::nullopt;
        value = reshaped(id, moved(id, value, op_info::Broadcast(), {{"shape", rows->repeated}}), rows->of_groups);
        value = moved(id, value, op_info::Broadcast(), {{"shape", rows->of_channels}});
        Shape image = {rows->of_groups[0], base[1]};
        image.resize(std::max(base.size(), image_rank), dim(1));
        return permuted(id, reshaped(id, value, image), to_last(image.size()));
    }
    void convert_elementwise(NodeId id) {
        for (ValueId input : m_graph.node(id).inputs)
            if (const auto view = m_views.find(input.index); view != m_views.end())
                return convert_elementwise_of_view(id, Shape(view->second));
        const std::size_t rank = rank_of(m_graph.node(id).outputs[0]);
        if (!reads_region(id) || !is_laid_out(rank))
            return;
        std::vector<ValueId> inputs = m_graph.node(id).inputs;
        for (ValueId& input : inputs) {
            const auto converted = operand(id, input, rank);
            if (!converted)
                return;
            input = *converted;
        }
        make(id, *m_graph.node(id).op, std::move(inputs), m_graph.node(id).attributes);
    }

    bool reduces_dimensions(NodeId id) const {
        const Node& node = m_graph.node(id);
        return node.op->cls == OpClass::Reduction && node.inputs.size() == 1 && node.outputs.size() == 1 &&
               node.attributes.find("dims") && node.attributes.find("keepdims");
    }
    // What loses its dimensions leaves the region, if what is left of them keeps its order.
    void convert_reduction(NodeId id) {
        if (!reads_region(id) || !has_layers(m_graph.node(id).inputs[0]))
            return;
        const Ints axes = to_last(rank_of(m_graph.node(id).inputs[0]));
        const bool keepdims = m_graph.node(id).get<bool>("keepdims");
        Ints reduced = m_graph.node(id).get<Ints>("dims"); // none: all
        for (std::int64_t& axis : reduced)
            axis = normalise_axis(axis, axes.size(), "dimension");
        Ints dims, kept;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const bool is_kept = !reduced.empty() && std::ranges::find(reduced, axes[i]) == reduced.end();
            (is_kept ? kept : dims).push_back(is_kept ? axes[i] : static_cast<std::int64_t>(i));
        }
        if (!keepdims && !std::ranges::is_sorted(kept))
            return;
        Attributes attributes = m_graph.node(id).attributes;
        attributes.set("dims", dims);
        const ValueId image = last(id, m_graph.node(id).inputs[0]);
        if (keepdims)
            return make(id, *m_graph.node(id).op, {image}, std::move(attributes));
        const ValueId result = made(id, *m_graph.node(id).op, {image}, std::move(attributes));
        const ValueId output = m_graph.node(id).outputs[0];
        m_graph.value(result).name = m_graph.value(output).name;
        m_graph.replace(output, result);
    }

    // What others read of the region has channels first again.
    void leave() {
        for (auto each = m_converted.rbegin(); each != m_converted.rend(); ++each)
            m_graph.drop_if_unused(*each);
        for (NodeId id : m_converted) {
            if (!m_graph.is_live(id))
                continue;
            const ValueId output = m_graph.node(id).outputs[0];
            const ValueId back = first(id, output);
            m_graph.value(back).name = m_graph.value(output).name;
            m_graph.replace(output, back);
        }
        for (auto each = m_converted.rbegin(); each != m_converted.rend(); ++each)
            m_graph.drop_if_unused(*each);
        m_graph.drop_unused();
    }

    PassState& m_state;
    Graph& m_graph;
    std::unordered_map<std::uint32_t, ValueId> m_last; // by value: the same with channels last
    std::unordered_map<std::uint32_t, Shape>
        m_views; // by value that m_last has as an image: the image's shape, channels first
    std::vector<NodeId> m_converted;
};

} // namespace

void conv_channel_last(PassState& state) {
    const bool is_asked = std::ranges::find(state.options.on, "conv-channel-last") != state.options.on.end();
    if (is_asked || gains_from_channel_last(state))
        Region(state).run();
}

} // namespace hidet::graph
