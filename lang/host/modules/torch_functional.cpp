// SPDX-License-Identifier: Apache-2.0
// torch.nn.functional: what kernels of networks are compared with. Sums are in double, and are rounded once.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/modules/torch_functions.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/host/tensors/tensor_selection.h"

namespace hidet::lang {

namespace {

using ir::DType;

void want_float(const Arguments& a, std::size_t i, std::string_view what) {
    const TensorRef& tensor = tensor_argument(a, i);
    if (!ir::is_float(tensor->dtype))
        fail(DiagId::BadType, a.span(i),
             cat(what, "() wants a tensor of floats, not of ", ir::info(tensor->dtype).name));
}

// A tensor that may be left out, of the wanted shape.
TensorRef optional_tensor(const Arguments& a, std::size_t i, std::string_view what, const Shape& shape) {
    if (!a.has(i))
        return {};
    const TensorRef& tensor = tensor_argument(a, i);
    if (tensor->shape != shape)
        fail(DiagId::ShapeMismatch, a.span(i), what, shape_text(shape), shape_text(tensor->shape));
    return tensor;
}
bool all_have_data(std::initializer_list<const TensorRef*> tensors) {
    return std::ranges::all_of(tensors, [](const TensorRef* t) { return !*t || (*t)->has_data(); });
}
Doubles doubles_or(const TensorRef& tensor, std::size_t count, double otherwise) {
    return tensor ? read_doubles(*tensor) : Doubles(count, otherwise);
}

// ---- normalisation ------------------------------------------------------------------------------------------------

Value layer_norm(Evaluator& evaluator, const Arguments& a, Span span) {
    a.want_known();
    want_float(a, 0, "layer_norm");
    const TensorRef& x = tensor_argument(a, 0);
    const Shape inner = shape_argument(evaluator, a[1], a.span(1));
    if (inner.empty() || inner.size() > x->shape.size() || !std::equal(inner.rbegin(), inner.rend(), x->shape.rbegin()))
        fail(DiagId::ShapeMismatch, span, "layer_norm", shape_text(x->shape), shape_text(inner));
    const TensorRef scale = optional_tensor(a, 2, "layer_norm", inner),
                    shift = optional_tensor(a, 3, "layer_norm", inner);
    const double eps = a.real(4, 1e-5);
    TensorRef out = new_tensor(evaluator, x->shape, kind_of(*x), span);
    if (!all_have_data({&x, &scale, &shift}))
        return Value::tensor(without_data(out));
    if (x->count() == 0)
        return Value::tensor(out);
    charge_elements(evaluator, 4 * x->count(), span);
    const auto size = static_cast<std::size_t>(count_of(inner));
    Doubles values = read_doubles(*x);
    const Doubles weight = doubles_or(scale, size, 1), bias = doubles_or(shift, size, 0);
    for (std::size_t begin = 0; size > 0 && begin < values.size(); begin += size) {
        double mean = 0, variance = 0;
        for (std::size_t i = 0; i < size; ++i)
            mean += values[begin + i] / static_cast<double>(size);
        for (std::size_t i = 0; i < size; ++i)
            variance += (values[begin + i] - mean) * (values[begin + i] - mean) / static_cast<double>(size);
        for (std::size_t i = 0; i < size; ++i)
            values[begin + i] = (values[begin + i] - mean) / std::sqrt(variance + eps) * weight[i] + bias[i];
    }
    write_doubles(*out, values);
    return Value::tensor(out);
}

// ---- convolution --------------------------------------------------------------------------------------------------

using Pair = std::array<std::int64_t, 2>; // of rows and columns
constexpr std::int64_t most_steps = std::numeric_limits<std::int32_t>::max();

Pair pair_argument(Evaluator& evaluator, const Arguments& a, std::size_t i, std::int64_t otherwise,
                   std::int64_t least) {
    Pair out{otherwise, otherwise};
    if (a.given(i) && !a[i].is(ValueKind::Int)) {
        const std::vector<std::int64_t> list = shape_like(evaluator, a[i], a.span(i));
        if (list.size() != 1 && list.size() != 2)
            fail(DiagId::BadValue, a.span(i), cat("conv2d() wants one number or two, not ", list.size()));
        out = {list[0], list.back()};
    } else if (a.given(i)) {
        out = {a[i].as_int(), a[i].as_int()};
    }
    for (std::int64_t value : out)
        if (value < least || value > most_steps)
            fail(DiagId::BadValue, a.span(i), cat("conv2d() wants a number of at least ", least, " here, not ", value));
    return out;
}

struct Convolution {
    std::int64_t images, in_channels, out_channels, groups;
    Pair in, out, window, stride, dilation;
    Pair before{}; // zeros before the first row and column
};

[[noreturn]] void does_not_fit(const Arguments& a, const Convolution& c) {
    fail(DiagId::BadShape, a.span(1),
         cat("the kernel of ", c.window[0], " x ", c.window[1], " does not fit into the padded image of ", c.in[0],
             " x ", c.in[1]));
}

// `padding` as torch takes it: numbers, 'valid', or 'same' for a result as large as the image.
void set_extents(Evaluator& evaluator, const Arguments& a, Convolution& c) {
    Pair after{};
    for (std::size_t d = 0; d < 2; ++d) // so that nothing below overflows
        if (c.window[d] < 1 || c.window[d] > most_steps || c.in[d] > most_steps)
            does_not_fit(a, c);
    if (a.given(4) && a[4].is(ValueKind::Str)) {
        const std::string& name = a[4].as_str();
        if (name != "same" && name != "valid")
            fail(DiagId::BadValue, a.span(4), cat("padding is 'same', 'valid' or numbers, not '", name, "'"));
        if (name == "same" && c.stride != Pair{1, 1})
            fail(DiagId::BadValue, a.span(4), "padding 'same' is for a stride of 1");
        for (std::size_t d = 0; name == "same" && d < 2; ++d) {
            const std::int64_t all = c.dilation[d] * (c.window[d] - 1);
            c.before[d] = all / 2;
            after[d] = all - all / 2;
        }
    } else {
        c.before = after = pair_argument(evaluator, a, 4, 0, 0);
    }
    for (std::size_t d = 0; d < 2; ++d) {
        const std::int64_t padded = c.in[d] + c.before[d] + after[d], covered = c.dilation[d] * (c.window[d] - 1) + 1;
        if (covered > padded)
            does_not_fit(a, c);
        c.out[d] = (padded - covered) / c.stride[d] + 1;
    }
}

// Of the results along one dimension those for which the tap lies within the image.
std::pair<std::int64_t, std::int64_t> inside(const Convolution& c, std::size_t d, std::int64_t tap) {
    const std::int64_t shift = tap * c.dilation[d] - c.before[d], last = c.in[d] - 1 - shift;
    const std::int64_t begin = shift >= 0 ? 0 : (-shift + c.stride[d] - 1) / c.stride[d];
    return {begin, last < 0 ? 0 : std::min(c.out[d], last / c.stride[d] + 1)};
}

void add_channel(const Convolution& c, const double* image, const double* kernel, double* out) {
    for (std::int64_t r = 0; r < c.window[0]; ++r) {
        for (std::int64_t s = 0; s < c.window[1]; ++s) {
            const double weight = kernel[r * c.window[1] + s];
            const auto [top, bottom] = inside(c, 0, r);
            const auto [left, right] = inside(c, 1, s);
            for (std::int64_t y = top; y < bottom; ++y) {
                const double* row = image + (y * c.stride[0] + r * c.dilation[0] - c.before[0]) * c.in[1] +
                                    s * c.dilation[1] - c.before[1];
                for (std::int64_t x = left; x < right; ++x)
                    out[y * c.out[1] + x] += weight * row[x * c.stride[1]];
            }
        }
    }
}

Doubles convolved(Evaluator& evaluator, const Convolution& c, const Doubles& image, const Doubles& kernel,
                  const Doubles& bias, Span span) {
    const std::int64_t in_size = c.in[0] * c.in[1], out_size = c.out[0] * c.out[1], window = c.window[0] * c.window[1],
                       in_group = c.in_channels / c.groups, out_group = c.out_channels / c.groups;
    Doubles out(static_cast<std::size_t>(c.images * c.out_channels * out_size));
    for (std::int64_t plane = 0; plane < c.images * c.out_channels; ++plane) {
        const std::int64_t n = plane / c.out_channels, k = plane % c.out_channels, first = k / out_group * in_group;
        double* to = out.data() + plane * out_size;
        std::fill_n(to, out_size, bias[static_cast<std::size_t>(k)]);
        for (std::int64_t channel = 0; channel < in_group; ++channel) {
            evaluator.charge_steps(static_cast<std::uint64_t>(out_size * window / 32 + window), span);
            add_channel(c, image.data() + (n * c.in_channels + first + channel) * in_size,
                        kernel.data() + (k * in_group + channel) * window, to);
        }
    }
    return out;
}

Value conv2d(Evaluator& evaluator, const Arguments& a, Span span) {
    a.want_known();
    const TensorRef &x = tensor_argument(a, 0), &w = tensor_argument(a, 1);
    const std::size_t rank = x->shape.size();
    if (rank != 3 && rank != 4)
        fail(DiagId::BadShape, a.span(0),
             cat("conv2d() wants images of three dimensions or four, not of shape ", shape_text(x->shape)));
    if (w->shape.size() != 4)
        fail(DiagId::BadShape, a.span(1),
             cat("the weight must have four dimensions, not shape ", shape_text(w->shape)));
    if (x->dtype != w->dtype)
        fail(DiagId::DTypeMismatch, span, "conv2d", ir::info(x->dtype).name, ir::info(w->dtype).name);
    Convolution c{};
    c.images = rank == 4 ? x->shape[0] : 1;
    c.in_channels = x->shape[rank - 3];
    c.out_channels = w->shape[0];
    c.in = {x->shape[rank - 2], x->shape[rank - 1]};
    c.window = {w->shape[2], w->shape[3]};
    c.groups = a.integer(6, 1);
    if (c.groups < 1 || c.in_channels % c.groups != 0 || c.out_channels % c.groups != 0)
        fail(DiagId::BadValue, a.span(6),
             cat(c.groups, " groups do not divide ", c.in_channels, " and ", c.out_channels, " channels"));
    if (w->shape[1] != c.in_channels / c.groups)
        fail(DiagId::ShapeMismatch, span, "conv2d", shape_text(x->shape), shape_text(w->shape));
    const TensorRef bias = optional_tensor(a, 2, "conv2d", {c.out_channels});
    c.stride = pair_argument(evaluator, a, 3, 1, 1);
    c.dilation = pair_argument(evaluator, a, 5, 1, 1);
    set_extents(evaluator, a, c);
    Shape shape{c.out_channels, c.out[0], c.out[1]};
    if (rank == 4)
        shape.insert(shape.begin(), c.images);
    TensorRef out = new_tensor(evaluator, shape, kind_of(*x), span);
    if (!all_have_data({&x, &w, &bias}))
        return Value::tensor(without_data(out));
    if (out->count() == 0)
        return Value::tensor(out);
    charge_elements(evaluator, x->count(), span);
    charge_elements(evaluator, w->count(), span);
    charge_elements(evaluator, out->count(), span);
    const Doubles values = convolved(evaluator, c, read_doubles(*x), read_doubles(*w),
                                     doubles_or(bias, static_cast<std::size_t>(c.out_channels), 0), span);
    if (ir::is_float(out->dtype))
        write_doubles(*out, values);
    else // exact below 2^53, as in matmul
        write_integers(*out, Integers(values.begin(), values.end()));
    return Value::tensor(out);
}

// ---- attention ----------------------------------------------------------------------------------------------------

// softmax(scores + mask) over the last dimension. A row that sees nothing is 0.
void attend(Doubles& scores, const Shape& shape, bool is_causal, const Tensor* mask) {
    std::vector<std::int64_t> at;
    Doubles added;
    if (mask) {
        at = broadcast_indices(mask->shape, shape);
        added = read_doubles(*mask);
    }
    constexpr double never = -std::numeric_limits<double>::infinity();
    const bool is_choice = mask && mask->dtype == DType::Bool;
    const auto columns = static_cast<std::size_t>(shape.back()),
               rows = static_cast<std::size_t>(shape[shape.size() - 2]);
    for (std::size_t begin = 0; begin < scores.size(); begin += columns) {
        double greatest = never, total = 0;
        for (std::size_t j = 0; j < columns; ++j) {
            double& score = scores[begin + j];
            const double extra = mask ? added[static_cast<std::size_t>(at[begin + j])] : 0;
            const bool is_hidden = (is_causal && j > begin / columns % rows) || (is_choice && extra == 0);
            score = is_hidden ? never : score + (is_choice ? 0 : extra);
            greatest = std::isnan(score) ? score : std::max(greatest, score);
        }
        for (std::size_t j = 0; j < columns; ++j)
            total += scores[begin + j] = greatest == never ? 0 : std::exp(scores[begin + j] - greatest);
        for (std::size_t j = 0; j < columns && total != 0; ++j)
            scores[begin + j] /= total;
    }
}

// Each head of key and value for as many heads of the query.
TensorRef repeated_heads(Evaluator& evaluator, const TensorRef& tensor, std::int64_t times, Span span) {
    Shape split = tensor->shape, strides(split.size() + 1, 1);
    split.insert(split.end() - 2, times);
    for (std::size_t d = strides.size(); d-- > 1;)
        strides[d - 1] = strides[d] * (d == split.size() - 3 ? 1 : split[d]);
    strides[split.size() - 3] = 0;
    TensorRef out = strided_copy(evaluator, tensor, split, strides, span);
    Shape shape = tensor->shape;
    shape[shape.size() - 3] *= times;
    return view_of(out, shape);
}

Value attention(Evaluator& evaluator, const Arguments& a, Span span) {
    a.want_known();
    std::array<TensorRef, 3> wide; // query, key, value
    for (std::size_t i = 0; i < 3; ++i) {
        want_float(a, i, "scaled_dot_product_attention");
        wide[i] = tensor_argument(a, i);
        if (wide[i]->shape.size() < 2)
            fail(DiagId::BadShape, a.span(i), "a tensor of at least two dimensions is wanted");
        if (wide[i]->dtype != wide[0]->dtype)
            fail(DiagId::DTypeMismatch, a.span(i), "scaled_dot_product_attention", ir::info(wide[0]->dtype).name,
                 ir::info(wide[i]->dtype).name);
    }
    if (a.real(4, 0) != 0)
        fail(DiagId::RefusedFunction, a.span(4), "dropout", "a reference with random zeros is none");
    const bool is_causal = a.boolean(5, false);
    if (is_causal && a.has(3))
        fail(DiagId::BadValue, a.span(3), "attn_mask is not given together with is_causal=True");
    const TensorKind kind = kind_of(*wide[0]);
    TensorKind in_double = kind;
    in_double.dtype = DType::F64;
    for (TensorRef& tensor : wide)
        tensor = converted(evaluator, tensor, in_double, span);
    const Shape& query = wide[0]->shape;
    for (std::size_t i = 1; i < 3 && a.boolean(7, false); ++i) {
        const Shape& own = wide[i]->shape;
        const std::int64_t heads = own.size() < 3 ? 0 : own[own.size() - 3],
                           wanted = query.size() < 3 ? 0 : query[query.size() - 3];
        if (heads == 0 || wanted % heads != 0)
            fail(DiagId::ShapeMismatch, a.span(i), "scaled_dot_product_attention", shape_text(query), shape_text(own));
        wide[i] = repeated_heads(evaluator, wide[i], wanted / heads, span);
    }
    const double scale = a.has(6) ? a.real(6) : 1 / std::sqrt(static_cast<double>(query.back()));
    std::vector<std::int64_t> swapped(wide[1]->shape.size());
    for (std::size_t d = 0; d < swapped.size(); ++d)
        swapped[d] = static_cast<std::int64_t>(d + 2 < swapped.size() ? d : 2 * swapped.size() - 3 - d);
    const TensorRef scores =
        tensor_matmul(evaluator, wide[0], tensor_transpose(evaluator, wide[1], swapped, span), span);
    const TensorRef mask = a.has(3) ? tensor_argument(a, 3) : TensorRef();
    if (mask && broadcast("scaled_dot_product_attention", scores->shape, mask->shape, a.span(3)) != scores->shape)
        fail(DiagId::ShapeMismatch, a.span(3), "scaled_dot_product_attention", shape_text(scores->shape),
             shape_text(mask->shape));
    if (mask && mask->dtype != DType::Bool && !ir::is_float(mask->dtype))
        fail(DiagId::BadType, a.span(3),
             cat("attn_mask is a tensor of truth values or floats, not of ", ir::info(mask->dtype).name));
    if (scores->has_data() && all_have_data({&mask})) {
        charge_elements(evaluator, 8 * scores->count(), span);
        Doubles values = read_doubles(*scores);
        for (double& value : values)
            value *= scale;
        attend(values, scores->shape, is_causal, mask ? &*mask : nullptr);
        write_doubles(*scores, values);
    }
    return Value::tensor(converted(evaluator, tensor_matmul(evaluator, scores, wide[2], span), kind, span));
}

// ---- padding ------------------------------------------------------------------------------------------------------

// Which element of a dimension stands at i, counted from its first one; -1: none does.
std::int64_t padded_from(std::string_view mode, std::int64_t i, std::int64_t extent) {
    if (i >= 0 && i < extent)
        return i;
    if (mode == "reflect")
        return i < 0 ? -i : 2 * (extent - 1) - i;
    if (mode == "replicate")
        return i < 0 ? 0 : extent - 1;
    if (mode == "circular")
        return i < 0 ? i + extent : i - extent;
    return -1;
}

void check_mode(const Arguments& a, const std::string& mode, const Shape& shape, std::size_t padded) {
    if (mode == "constant")
        return;
    if (mode != "reflect" && mode != "replicate" && mode != "circular")
        fail(DiagId::BadValue, a.span(2),
             cat("the mode of padding is 'constant', 'reflect', 'replicate' or 'circular', not '", mode, "'"));
    if (a.has(3))
        fail(DiagId::BadValue, a.span(3), cat("mode '", mode, "' takes no value"));
    if (padded < 1 || padded > 3 || (shape.size() != padded + 1 && shape.size() != padded + 2))
        fail(DiagId::BadShape, a.span(1),
             cat("mode '", mode, "' pads the last dimensions behind one of channels or two of a batch, not ", padded,
                 " of shape ", shape_text(shape)));
}

Value pad(Evaluator& evaluator, const Arguments& a, Span span) {
    a.want_known();
    const TensorRef& x = tensor_argument(a, 0);
    const std::vector<std::int64_t> list = shape_like(evaluator, a[1], a.span(1));
    const std::string mode = a.str(2, "constant");
    const std::size_t rank = x->shape.size(), padded = list.size() / 2;
    if (list.size() % 2 != 0 || padded > rank)
        fail(DiagId::BadValue, a.span(1),
             cat("pad holds two numbers for each of the last dimensions of shape ", shape_text(x->shape),
                 ", the last dimension first, not ", list.size()));
    check_mode(a, mode, x->shape, padded);
    Shape shape = x->shape, before(rank, 0);
    for (std::size_t i = 0; i < padded; ++i) {
        const std::size_t d = rank - 1 - i;
        const std::int64_t left = list[2 * i], right = list[2 * i + 1], extent = x->shape[d];
        const std::int64_t most = mode == "reflect"    ? extent - 1
                                  : mode == "circular" ? extent
                                                       : std::numeric_limits<std::int64_t>::max();
        std::int64_t wide = 0;
        const bool is_wrong = __builtin_add_overflow(extent, left, &wide) ||
                              __builtin_add_overflow(wide, right, &wide) || wide < 0 || left > most || right > most ||
                              (mode != "constant" && (extent == 0 || wide == 0)); // nothing to repeat
        if (is_wrong)
            fail(DiagId::BadValue, a.span(1),
                 cat("dimension ", d, " of shape ", shape_text(x->shape), " cannot be padded by ", left, " and ", right,
                     mode == "constant" ? "" : cat(" in mode '", mode, "'")));
        shape[d] = wide;
        before[d] = left;
    }
    TensorRef out = new_tensor(evaluator, shape, kind_of(*x), span);
    if (!x->has_data())
        return Value::tensor(without_data(out));
    charge_elements(evaluator, out->count(), span);
    evaluator.charge_steps(static_cast<std::uint64_t>(out->count()) * (rank + 1) / 16, span);
    TensorRef filler = tensor_of_data(evaluator, a.has(3) ? a[3] : Value::integer(0), x->dtype, kind_of(*x), a.span(3));
    const std::size_t size = element_bytes(*x, span);
    const std::byte *source = x->read(), *fill = filler->read();
    std::byte* target = out->data();
    Shape at(rank, 0);
    for (std::int64_t i = 0, count = out->count(); i < count; ++i, target += size) {
        std::int64_t from = 0;
        for (std::size_t d = 0; d < rank && from >= 0; ++d) {
            const std::int64_t own = padded_from(mode, at[d] - before[d], x->shape[d]);
            from = own < 0 ? -1 : from * x->shape[d] + own;
        }
        std::copy_n(from < 0 ? fill : source + static_cast<std::size_t>(from) * size, size, target);
        for (std::size_t d = rank; d-- > 0 && ++at[d] == shape[d];)
            at[d] = 0;
    }
    return Value::tensor(out);
}

} // namespace

void add_functional(HostModule& module) {
    module.function("conv2d", {"input", "weight", "bias=", "stride=", "padding=", "dilation=", "groups="}, conv2d);
    module.function(
        "cross_entropy",
        {"input", "target", "weight=", "size_average=", "ignore_index=", "reduce=", "reduction=", "label_smoothing="},
        torch_cross_entropy);
    module.function("layer_norm", {"input", "normalized_shape", "weight=", "bias=", "eps="}, layer_norm);
    module.function("pad", {"input", "pad", "mode=", "value="}, pad);
    module.function("scaled_dot_product_attention",
                    {"query", "key", "value", "attn_mask=", "dropout_p=", "is_causal=", "*", "scale=", "enable_gqa="},
                    attention);
}

} // namespace hidet::lang
