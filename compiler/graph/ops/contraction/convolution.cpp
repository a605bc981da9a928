// SPDX-License-Identifier: Apache-2.0
// A convolution sums over the channels of a group and the taps of a window; what lies in the padding is zero by a Select
// inside of the sum, so that no padded copy of the input is made. Inputs: x [n, c, spatial...] (or channels last), w [out
// channels, c / groups, kernel...] whichever the order; of a transposed one, w [c, out channels / groups, kernel...].
#include "compiler/graph/ops/contraction/convolution.h"

#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/ops/contraction/window.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

struct Convolution {
    std::string name;
    const TensorSpec& x;
    const TensorSpec& w;
    std::size_t rank = 0;
    std::size_t channel = 1; // the dimension of channels in x and the result
    std::int64_t groups = 1;
    std::int64_t padding_value = 0;
    ir::DType dtype = ir::DType::F32;
    ir::DType work = ir::DType::F32;

    Shape spatial(const Shape& shape) const {
        const std::size_t first = channel == 1 ? 2 : 1;
        return {shape.begin() + static_cast<std::ptrdiff_t>(first),
                shape.begin() + static_cast<std::ptrdiff_t>(first + rank)};
    }
    Shape kernel() const { return {w.shape.begin() + 2, w.shape.end()}; }
    // [n, c, spatial...] in the order of the layout.
    Indices arranged(const Expr& n, const Expr& c, const Indices& positions) const {
        Indices index = {n};
        if (channel == 1)
            index.push_back(c);
        index.insert(index.end(), positions.begin(), positions.end());
        if (channel != 1)
            index.push_back(c);
        return index;
    }
};

std::string operands(const Convolution& conv) {
    return conv.name + " of " + text_of(conv.x) + " and " + text_of(conv.w);
}

Convolution convolution_of(const OpCall& call, std::size_t rank, ChannelOrder order) {
    Convolution conv{call.op->python, call.inputs[0], call.inputs[1]};
    conv.rank = rank ? rank : std::max<std::size_t>(conv.x.shape.size(), 3) - 2;
    conv.channel = order == ChannelOrder::First ? 1 : conv.rank + 1;
    conv.groups = call.attributes.get<std::int64_t>("groups");
    conv.padding_value = call.attributes.get_or<std::int64_t>("padding_value", 0);
    if (conv.x.shape.size() != conv.rank + 2 || conv.w.shape.size() != conv.rank + 2)
        throw OpError(operands(conv), ": both want ", conv.rank + 2, " dimensions");
    if (conv.groups < 1)
        throw OpError(conv.name, " wants a positive number of groups, not ", conv.groups);
    const auto dtype = dtype_of_product(call);
    if (!dtype)
        throw OpError(operands(conv), ": the dtypes do not go together");
    conv.dtype = *dtype;
    conv.work = accumulator_of(conv.dtype);
    return conv;
}

void require_divisible(const Convolution& conv, const Dim& channels, const char* what) {
    const auto count = constant_of(channels);
    if (count && *count % conv.groups != 0)
        throw OpError(operands(conv), ": ", *count, " ", what, " do not form ", conv.groups, " groups");
}

Expr product(const Convolution& conv, const Expr& x, const Expr& w) {
    return ir::mul(ir::cast_to(x, conv.work), ir::cast_to(w, conv.work));
}

Task define_convolution(const OpCall& call, std::size_t rank, ChannelOrder order) {
    if (call.op->more.find("precision"))
        check_precision(call);
    const Convolution conv = convolution_of(call, rank, order);
    const Dim out_channels = conv.w.shape[0];
    const Dim per_group = conv.w.shape[1];
    require_divisible(conv, conv.x.shape[conv.channel], "input channels");
    require_divisible(conv, out_channels, "output channels");
    const Window window = window_of(call, conv.name, conv.spatial(conv.x.shape), conv.kernel());
    const Shape shape = conv.arranged(conv.x.shape[0], out_channels, window.output());
    Shape extents = {per_group};
    extents.insert(extents.end(), window.kernel.begin(), window.kernel.end());

    TaskBuilder builder(conv.name);
    const ir::VarRef x = builder.input("x", conv.x);
    const ir::VarRef w = builder.input("w", conv.w);
    builder.require_equal(conv.x.shape[conv.channel], simplified(ir::mul(per_group, dim(conv.groups))),
                          operands(conv) + ": the weight does not have the input's channels");
    return builder.finish({builder.reduce(
        "y", conv.dtype, shape, ReduceOp::Sum, extents, [&](const Indices& axes, const Indices& reduced) {
            const Indices out = conv.spatial(axes);
            const Indices tap(reduced.begin() + 1, reduced.end());
            const Expr oc = axes[conv.channel];
            Expr ic = reduced[0];
            if (conv.groups > 1)
                ic = ir::add(ir::mul(ir::floor_div(oc, ir::floor_div(out_channels, dim(conv.groups))), per_group), ic);
            Indices positions;
            for (std::size_t d = 0; d < conv.rank; ++d)
                positions.push_back(window.position(out, tap, d));
            Expr element = at(x, conv.arranged(axes[0], ic, positions));
            if (window.is_padded())
                element = ir::select(window.is_inside(out, tap), element,
                                     number(static_cast<double>(conv.padding_value), conv.x.dtype));
            Indices weight = {oc, reduced[0]};
            weight.insert(weight.end(), tap.begin(), tap.end());
            return product(conv, element, at(w, weight));
        })});
}

// An element of the result sums the elements of the input whose window, dilated and strided, covers it.
Task define_transposed_convolution(const OpCall& call, std::size_t rank, ChannelOrder order) {
    const Convolution conv = convolution_of(call, rank, order);
    require_divisible(conv, conv.x.shape[1], "input channels");
    const Window window = window_of(call, conv.name, conv.spatial(conv.x.shape), conv.kernel());
    const Ints extra = per_dimension(call.attributes, "output_padding", conv.rank, 0, conv.name);
    const Dim per_group = conv.w.shape[1];
    const Dim in_per_group = simplified(ir::floor_div(conv.x.shape[1], dim(conv.groups)));
    Shape shape = {conv.x.shape[0], simplified(ir::mul(per_group, dim(conv.groups)))};
    for (std::size_t d = 0; d < conv.rank; ++d) {
        const Dim spread = ir::mul(ir::sub(window.extents[d], dim(1)), dim(window.strides[d]));
        const Dim reach = ir::mul(ir::sub(window.kernel[d], dim(1)), dim(window.dilations[d]));
        const Dim extent =
            simplified(ir::add(ir::add(spread, reach), dim(1 + extra[d] - window.begins[d] - window.ends[d])));
        if (const auto value = constant_of(extent); value && *value < 0)
            throw OpError(operands(conv), ": more padding than result");
        shape.push_back(extent);
    }
    Shape extents = {in_per_group};
    extents.insert(extents.end(), window.kernel.begin(), window.kernel.end());

    TaskBuilder builder(conv.name);
    const ir::VarRef x = builder.input("x", conv.x);
    const ir::VarRef w = builder.input("w", conv.w);
    builder.require_equal(conv.x.shape[1], conv.w.shape[0],
                          operands(conv) + ": the weight does not have the input's channels");
    return builder.finish({builder.reduce(
        "y", conv.dtype, shape, ReduceOp::Sum, extents, [&](const Indices& axes, const Indices& reduced) {
            const Expr group = conv.groups > 1 ? ir::floor_div(axes[1], per_group) : dim(0);
            const Expr oc = conv.groups > 1 ? ir::floor_mod(axes[1], per_group) : axes[1];
            const Expr ic = ir::add(ir::mul(group, in_per_group), reduced[0]);
            Indices source = {axes[0], ic};
            Indices weight = {ic, oc};
            ir::ExprVec covers;
            for (std::size_t d = 0; d < conv.rank; ++d) {
                const Expr tap = reduced[d + 1];
                const Expr offset =
                    ir::sub(ir::add(axes[d + 2], dim(window.begins[d])), ir::mul(tap, dim(window.dilations[d])));
                const Expr from = ir::floor_div(offset, dim(window.strides[d]));
                if (window.strides[d] > 1)
                    covers.push_back(ir::equal(ir::floor_mod(offset, dim(window.strides[d])), dim(0)));
                covers.push_back(is_inside(from, window.extents[d]));
                source.push_back(from);
                weight.push_back(tap);
            }
            const Expr element = ir::select(all_of(covers), at(x, source), number(0, conv.x.dtype));
            return product(conv, element, at(w, weight));
        })});
}

constexpr const char* convolution_parameters =
    "x, w, stride: ints = [1], padding: ints = [0], dilations: ints = [1], groups: int = 1";
constexpr const char* integer_parameters =
    "x, w, stride: ints = [1], padding: ints = [0], dilations: ints = [1], groups: int = 1, padding_value: int = 0";
constexpr const char* transposed_parameters =
    "x, w, stride: ints = [1], padding: ints = [0], output_padding: ints = [0], "
    "dilations: ints = [1], groups: int = 1";

} // namespace

const OpInfo& convolution_op(std::size_t rank) {
    switch (rank) {
    case 1: return op_info::Conv1d();
    case 2: return op_info::Conv2d();
    case 3: return op_info::Conv3d();
    default: return op_info::ConvNd();
    }
}

const OpInfo& transposed_convolution_op(std::size_t rank) {
    switch (rank) {
    case 1: return op_info::Conv1dTranspose();
    case 2: return op_info::Conv2dTranspose();
    case 3: return op_info::Conv3dTranspose();
    default: return op_info::ConvNdTranspose();
    }
}

std::span<const OpInfo> op_tables::convolution() {
    static const OpInfo table[] = {
        {OpId::Conv1d, "conv1d", convolution_parameters, OpClass::Contraction,
         "the convolution over one spatial dimension, channels first",
         "hidet.ops.conv1d(hidet.randn([1, 2, 5]), hidet.randn([4, 2, 3]), padding=[1])",
         of_rank<define_convolution, 1>},
        {OpId::Conv2d, "conv2d", convolution_parameters, OpClass::Contraction,
         "the convolution over two spatial dimensions, channels first",
         "hidet.ops.conv2d(hidet.randn([1, 2, 5, 5]), hidet.randn([4, 2, 3, 3]), padding=[1])",
         of_rank<define_convolution, 2>, nullptr, "precision: str = ''"},
        {OpId::Conv2dChannelLast, "conv2d_channel_last", convolution_parameters, OpClass::Contraction,
         "the convolution over two spatial dimensions, channels last, of a weight with channels first",
         "hidet.ops.conv2d_channel_last(hidet.randn([1, 5, 5, 2]), hidet.randn([4, 2, 3, 3]))",
         of_rank<define_convolution, 2, ChannelOrder::Last>, nullptr, "precision: str = ''"},
        {OpId::IntegerConv2d, "integer_conv2d", integer_parameters, OpClass::Contraction,
         "the convolution over two spatial dimensions of integers of eight bits, channels first, in int32; the padding "
         "has a value",
         "hidet.ops.integer_conv2d(hidet.ones([1, 2, 5, 5], dtype='uint8'), hidet.ones([4, 2, 3, 3], dtype='int8'))",
         of_rank<define_convolution, 2>},
        {OpId::IntegerConv2dChannelLast, "integer_conv2d_channel_last", integer_parameters, OpClass::Contraction,
         "the convolution over two spatial dimensions of integers of eight bits, channels last, in int32; the padding "
         "has a value",
         "hidet.ops.integer_conv2d_channel_last(hidet.ones([1, 5, 5, 2], dtype='uint8'), hidet.ones([4, 2, 3, 3], "
         "dtype='int8'))",
         of_rank<define_convolution, 2, ChannelOrder::Last>},
        {OpId::Conv3d, "conv3d", convolution_parameters, OpClass::Contraction,
         "the convolution over three spatial dimensions, channels first",
         "hidet.ops.conv3d(hidet.randn([1, 2, 4, 4, 4]), hidet.randn([4, 2, 2, 2, 2]), padding=[1])",
         of_rank<define_convolution, 3>},
        {OpId::ConvNd, "conv_nd", convolution_parameters, OpClass::Contraction,
         "the convolution over all dimensions after the batch and the channels",
         "hidet.ops.conv_nd(hidet.randn([1, 2, 5, 5]), hidet.randn([4, 2, 3, 3]))", of_rank<define_convolution, 0>},
        {OpId::Conv1dTranspose, "conv1d_transpose", transposed_parameters, OpClass::Contraction,
         "the transposed convolution over one spatial dimension, channels first",
         "hidet.ops.conv1d_transpose(hidet.randn([1, 2, 5]), hidet.randn([2, 4, 3]), stride=[2])",
         of_rank<define_transposed_convolution, 1>},
        {OpId::Conv2dTranspose, "conv2d_transpose", transposed_parameters, OpClass::Contraction,
         "the transposed convolution over two spatial dimensions, channels first",
         "hidet.ops.conv2d_transpose(hidet.randn([1, 2, 5, 5]), hidet.randn([2, 4, 3, 3]), stride=[2])",
         of_rank<define_transposed_convolution, 2>},
        {OpId::Conv3dTranspose, "conv3d_transpose", transposed_parameters, OpClass::Contraction,
         "the transposed convolution over three spatial dimensions, channels first",
         "hidet.ops.conv3d_transpose(hidet.randn([1, 2, 4, 4, 4]), hidet.randn([2, 4, 2, 2, 2]), stride=[2])",
         of_rank<define_transposed_convolution, 3>},
        {OpId::ConvNdTranspose, "conv_nd_transpose", transposed_parameters, OpClass::Contraction,
         "the transposed convolution over all dimensions after the batch and the channels",
         "hidet.ops.conv_nd_transpose(hidet.randn([1, 2, 5, 5]), hidet.randn([2, 4, 3, 3]))",
         of_rank<define_transposed_convolution, 0>},
    };
    return table;
}

} // namespace hidet::graph
