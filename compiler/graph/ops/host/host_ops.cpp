// SPDX-License-Identifier: Apache-2.0
// Functions on host memory (runtime/operators): what their results are.
#include "compiler/graph/ops/contraction/window.h"
#include "compiler/graph/ops/host/run_on_host.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// Of the type and shape of x, unless the attribute dtype says another type.
std::vector<TensorSpec> infer_like(const OpCall& call, FreshSymbols&) {
    return {{call.attributes.get_or("dtype", call.inputs[0].dtype), call.inputs[0].shape}};
}

// Of the constant attribute `shape`.
std::vector<TensorSpec> infer_random(const OpCall& call, FreshSymbols&) {
    const Shape& shape = call.attributes.get<Shape>("shape");
    const auto extents = constant_shape(shape);
    if (!extents)
        throw OpError("random numbers want a constant shape, not ", text_of(shape));
    return {{call.attributes.get<ir::DType>("dtype"), shape_of(*extents)}};
}

std::int64_t sample_size(const Attributes& attributes) {
    const std::int64_t size = attributes.get<std::int64_t>("sample_size");
    if (size < 0)
        throw OpError("multinomial wants a sample size that is not negative, not ", size);
    return size;
}

std::vector<TensorSpec> infer_multinomial(const OpCall& call, FreshSymbols&) {
    const TensorSpec& x = call.inputs[0];
    if (x.shape.size() != 2)
        throw OpError("multinomial wants a tensor of two dimensions, not ", text_of(x));
    return {{call.attributes.get<ir::DType>("dtype"), {x.shape[0], dim(sample_size(call.attributes))}}};
}

void check_size(std::int64_t size) {
    constexpr std::int64_t largest = 1 << 30;
    if (size < 0 || size > largest)
        throw OpError("a window wants a size from 0 to ", largest, ", not ", size);
}

// The size is an attribute, or a tensor of one element. Attributes: size (int), periodic (bool), dtype.
std::vector<TensorSpec> infer_window(const OpCall& call, FreshSymbols& symbols) {
    const ir::DType dtype = call.attributes.get<ir::DType>("dtype");
    if (!call.inputs.empty())
        return {{dtype, {symbols.fresh("window")}}};
    const std::int64_t size = call.attributes.get<std::int64_t>("size");
    check_size(size);
    return {{dtype, {dim(size)}}};
}

constexpr const char* window_parameters = "size: int, periodic: bool = True, dtype: dtype = 'float32'";

constexpr std::int64_t largest_matrix = std::int64_t{1} << 28;

std::vector<TensorSpec> infer_mel_weight_matrix(const OpCall& call, FreshSymbols& symbols) {
    const Attributes& attributes = call.attributes;
    const ir::DType dtype = attributes.get<ir::DType>("dtype");
    if (!call.inputs.empty())
        return {{dtype, {symbols.fresh("bins"), symbols.fresh("mel")}}};
    const std::int64_t bins = attributes.get<std::int64_t>("num_mel_bins"),
                       length = attributes.get<std::int64_t>("dft_length");
    const bool is_small = bins >= 0 && bins < largest_matrix && length >= 0 && length < largest_matrix &&
                          bins * (length / 2 + 1) < largest_matrix;
    if (!is_small || attributes.get<std::int64_t>("sample_rate") < 1)
        throw OpError("mel_weight_matrix wants small extents that are not negative, and a positive sample rate");
    return {{dtype, {dim(length / 2 + 1), dim(bins)}}};
}

std::vector<TensorSpec> infer_compress(const OpCall& call, FreshSymbols& symbols) {
    const TensorSpec& x = call.inputs[0];
    if (call.inputs[1].shape.size() != 1)
        throw OpError("compress wants a condition of one dimension, not ", text_of(call.inputs[1]));
    Shape shape = {symbols.fresh("kept")};
    if (call.attributes.find("axis")) {
        const std::size_t axis = axis_attribute(call, "axis", x.shape.size());
        const Dim kept = shape[0];
        shape = x.shape;
        shape[axis] = kept;
    }
    return {{x.dtype, shape}};
}

std::vector<TensorSpec> infer_det(const OpCall& call, FreshSymbols&) {
    const TensorSpec& x = call.inputs[0];
    const std::size_t rank = x.shape.size();
    const bool is_square = rank >= 2 && (!constant_of(x.shape[rank - 1]) || !constant_of(x.shape[rank - 2]) ||
                                         same_dim(x.shape[rank - 1], x.shape[rank - 2]));
    if (!is_square || !ir::is_float(x.dtype))
        throw OpError("det wants square matrices of floats, not ", text_of(x));
    return {{x.dtype, Shape(x.shape.begin(), x.shape.end() - 2)}};
}

// What a pool of these windows has read, to whose elements the indices refer.
Shape pooled_from(const OpCall& call, const Shape& x) {
    const std::size_t rank = x.size() - 2;
    const Ints kernel = per_dimension(call.attributes, "kernel", rank, 1, "max_unpool");
    const Ints stride = per_dimension(call.attributes, "stride", rank, 1, "max_unpool");
    const Ints pads = paddings(call.attributes, rank, "max_unpool");
    Shape shape(x.begin(), x.begin() + 2);
    for (std::size_t d = 0; d < rank; ++d)
        shape.push_back(simplified(
            ir::add(ir::mul(ir::sub(x[d + 2], dim(1)), dim(stride[d])), dim(kernel[d] - pads[d] - pads[d + rank]))));
    return shape;
}

std::vector<TensorSpec> infer_max_unpool(const OpCall& call, FreshSymbols& symbols) {
    const TensorSpec& x = call.inputs[0];
    if (x.shape.size() < 3 || !same_shape(x.shape, call.inputs[1].shape))
        throw OpError("max_unpool wants elements and indices of one shape, not ", text_of(x), " and ",
                      text_of(call.inputs[1]));
    Shape shape = pooled_from(call, x.shape);
    if (call.inputs.size() > 2)
        for (std::size_t d = 0; d < shape.size(); ++d)
            shape[d] = symbols.fresh("unpooled");
    const Ints wanted = call.attributes.get<Ints>("output_shape");
    if (!wanted.empty() && wanted.size() != shape.size())
        throw OpError("max_unpool of ", text_of(x), " cannot give a shape of ", wanted.size(), " dimensions");
    return {{x.dtype, wanted.empty() ? shape : shape_of(wanted)}};
}

std::vector<TensorSpec> infer_non_max_suppression(const OpCall& call, FreshSymbols& symbols) {
    const TensorSpec& boxes = call.inputs[0];
    const TensorSpec& scores = call.inputs[1];
    if (boxes.shape.size() != 3 || scores.shape.size() != 3)
        throw OpError("non_max_suppression wants boxes [batches, boxes, 4] and scores [batches, classes, boxes], not ",
                      text_of(boxes), " and ", text_of(scores));
    return {{ir::DType::I64, {symbols.fresh("selected"), dim(3)}}};
}

// A scalar counts as a tensor of one element.
std::vector<TensorSpec> infer_nonzero(const OpCall& call, FreshSymbols& symbols) {
    const auto rank = static_cast<std::int64_t>(std::max<std::size_t>(call.inputs[0].shape.size(), 1));
    return {{ir::DType::I64, {dim(rank), symbols.fresh("nonzero")}}};
}

std::vector<TensorSpec> infer_top_k(const OpCall& call, FreshSymbols& symbols) {
    const TensorSpec& x = call.inputs[0];
    const std::size_t axis = axis_attribute(call, "axis", x.shape.size());
    Shape shape = x.shape;
    if (call.inputs.size() > 1) {
        shape[axis] = symbols.fresh("k");
    } else {
        const std::int64_t k = call.attributes.get<std::int64_t>("k");
        const auto extent = constant_of(x.shape[axis]);
        if (k < 0 || (extent && k > *extent))
            throw OpError("topk of ", text_of(x), " cannot take ", k, " elements along axis ", axis);
        shape[axis] = dim(k);
    }
    return {{x.dtype, shape}, {ir::DType::I64, shape}};
}

std::vector<TensorSpec> infer_unique(const OpCall& call, FreshSymbols& symbols) {
    const TensorSpec& x = call.inputs[0];
    const Dim count = symbols.fresh("unique");
    Shape shape = {count};
    Dim slices = element_count(x.shape);
    if (call.attributes.find("axis")) {
        const std::size_t axis = axis_attribute(call, "axis", x.shape.size());
        shape = x.shape;
        slices = shape[axis];
        shape[axis] = count;
    }
    return {{x.dtype, shape}, {ir::DType::I64, {count}}, {ir::DType::I64, {slices}}, {ir::DType::I64, {count}}};
}

// The numbers depend on the attribute `seed` alone, and are the same in every run.
OpInfo random_op(OpId id, const char* python, Parameters parameters, const char* summary, const char* example,
                 std::vector<TensorSpec> (*infer)(const OpCall& call, FreshSymbols& symbols)) {
    OpInfo info = host_op(id, python, std::move(parameters), summary, example, infer);
    info.is_random = true;
    return info;
}

} // namespace

std::span<const OpInfo> op_tables::host_ops() {
    static const OpInfo table[] = {
        random_op(OpId::Bernoulli, "bernoulli", "x, seed: float = 0.0, dtype: dtype = None",
                  "ones, each with the probability that its element gives, and zeros",
                  "hidet.ops.bernoulli(hidet.ones([2, 3]))", infer_like),
        random_op(OpId::Multinomial, "multinomial",
                  "x, sample_size: int = 1, seed: float = 0.0, dtype: dtype = 'int32'",
                  "classes drawn for each row of logarithms of probabilities",
                  "hidet.ops.multinomial(hidet.randn([2, 3]), sample_size=4)", infer_multinomial),
        random_op(OpId::RandomNormal, "random_normal",
                  "shape: shape, mean: float = 0.0, scale: float = 1.0, seed: float = 0.0, dtype: dtype = 'float32'",
                  "numbers of a normal distribution", "hidet.ops.random_normal([2, 3])", infer_random),
        random_op(OpId::RandomNormalLike, "random_normal_like",
                  "x, mean: float = 0.0, scale: float = 1.0, seed: float = 0.0, dtype: dtype = None",
                  "numbers of a normal distribution, in the shape of a tensor",
                  "hidet.ops.random_normal_like(hidet.zeros([2, 3]))", infer_like),
        random_op(OpId::RandomUniform, "random_uniform",
                  "shape: shape, low: float = 0.0, high: float = 1.0, seed: float = 0.0, dtype: dtype = 'float32'",
                  "numbers of a uniform distribution from `low` to `high`", "hidet.ops.random_uniform([2, 3])",
                  infer_random),
        random_op(OpId::RandomUniformLike, "random_uniform_like",
                  "x, low: float = 0.0, high: float = 1.0, seed: float = 0.0, dtype: dtype = None",
                  "numbers of a uniform distribution from `low` to `high`, in the shape of a tensor",
                  "hidet.ops.random_uniform_like(hidet.zeros([2, 3]))", infer_like),
        host_op(OpId::HannWindow, "hann_window", window_parameters, "the window of Hann",
                "hidet.ops.hann_window(size=8)", infer_window),
        host_op(OpId::HammingWindow, "hamming_window", window_parameters, "the window of Hamming",
                "hidet.ops.hamming_window(size=8)", infer_window),
        host_op(OpId::BlackmanWindow, "blackman_window", window_parameters, "the window of Blackman",
                "hidet.ops.blackman_window(size=8)", infer_window),
        host_op(OpId::MelWeightMatrix, "mel_weight_matrix",
                "num_mel_bins: int, dft_length: int, sample_rate: int, lower_edge_hertz: float, "
                "upper_edge_hertz: float, dtype: dtype = 'float32'",
                "the weights that take a spectrum to the mel scale",
                "hidet.ops.mel_weight_matrix(8, 16, 8192, 0.0, 4096.0)", infer_mel_weight_matrix),
        host_op(OpId::CheckIndices, "",
                "indices: tensors, extents: shape, from_end: bool = True, ignored: ints = [], tensor: str = 'indices'",
                "the indices as they are, when none is outside of the extents; what else comes makes them known", "",
                [](const OpCall& call, FreshSymbols&) -> std::vector<TensorSpec> { return {call.inputs[0]}; }),
        host_op(OpId::Compress, "compress", "x, condition, axis: int = None",
                "the slices along `axis` for which the condition holds",
                "hidet.ops.compress(hidet.randn([2, 3]), hidet.ones([2], dtype='bool'), axis=0)", infer_compress),
        host_op(OpId::Det, "det", "x", "the determinants of the matrices in the last two dimensions",
                "hidet.ops.det(hidet.randn([2, 3, 3]))", infer_det),
        host_op(OpId::MaxUnpool, "max_unpool",
                "x, indices, kernel: ints, stride: ints = [1], padding: ints = [0], output_shape: ints = []",
                "the elements at the places that a pool with indices took them from, zeros elsewhere",
                "hidet.ops.max_unpool(hidet.ones([1, 1, 1]), hidet.zeros([1, 1, 1], dtype='int64'), kernel=[2])",
                infer_max_unpool),
        host_op(OpId::NonMaxSuppression, "non_max_suppression",
                "boxes, scores, max_output_boxes_per_class: int, iou_threshold: float = 0.0, "
                "score_threshold: float = -1e30, center_point_box: int = 0",
                "the boxes of the best scores that overlap no better one, as rows of batch, class and box",
                "hidet.ops.non_max_suppression(hidet.randn([1, 4, 4]), hidet.randn([1, 2, 4]), "
                "max_output_boxes_per_class=2)",
                infer_non_max_suppression),
        host_op(OpId::NonZero, "nonzero", "x",
                "the indices of the elements that are not zero, a column each, in row-major order",
                "hidet.ops.nonzero(hidet.ones([2, 3]))", infer_nonzero),
        host_op(OpId::TopK, "topk", "x, k: int, axis: int = -1, largest: bool = True, sorted: bool = True",
                "the `k` largest elements along `axis` in falling order, or the smallest ones, and their indices",
                "hidet.ops.topk(hidet.randn([2, 5]), k=3)", infer_top_k),
        host_op(OpId::Unique, "unique", "x, axis: int = None, sorted: bool = True",
                "the distinct slices along `axis`, where each comes first, which one each slice is, and their counts",
                "hidet.ops.unique(hidet.ones([2, 3]), axis=0)", infer_unique),
    };
    return table;
}

} // namespace hidet::graph
