// SPDX-License-Identifier: Apache-2.0
#include "lang/host/tensors/tensor_shapes.h"

#include <algorithm>
#include <numeric>

#include "lang/base/transformed.h"
#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::lang {

Value shape_value(const Shape& shape) {
    return Value::tuple(transformed(shape, [&](std::int64_t extent) { return Value::integer(extent); }));
}

std::vector<std::int64_t> swapped_order(std::size_t rank, std::int64_t a, std::int64_t b, Span span) {
    std::vector<std::int64_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    if (rank > 0)
        std::swap(order[static_cast<std::size_t>(checked_dim(a, rank, span))],
                  order[static_cast<std::size_t>(checked_dim(b, rank, span))]);
    return order;
}

TensorRef reversed_dims(Evaluator& evaluator, const TensorRef& tensor, Span span) {
    std::vector<std::int64_t> order(tensor->shape.size());
    std::iota(order.rbegin(), order.rend(), 0);
    return tensor_transpose(evaluator, tensor, order, span);
}

namespace shapes {

namespace {

// f(2, 3), f([2, 3]), f((2, 3))
std::vector<std::int64_t> ints_of(Evaluator& evaluator, const Args& args, Span span) {
    std::vector<Value> items = args.positional;
    if (items.size() == 1 && (items[0].is(ValueKind::List) || items[0].is(ValueKind::Tuple)))
        items = std::vector<Value>(items[0].items());
    for (const auto& [name, value] : args.keywords)
        if (name == "shape" || name == "dims" || name == "dim" || name == "axes" || name == "size")
            items = value.is(ValueKind::Int) ? std::vector<Value>{value} : evaluator.iterate(value, span);
    std::vector<std::int64_t> out;
    for (const Value& value : items) {
        want_known(value);
        if (!value.is(ValueKind::Int))
            fail(DiagId::BadShape, span, cat("a dimension must be an int, not '", type_name(value), "'"));
        out.push_back(value.as_int());
    }
    return out;
}

TensorRef reshaped(const TensorRef& tensor, Shape shape, Span span) {
    std::int64_t known = 1, open = -1, strides = 1; // products; of strides as if nothing were empty
    check_rank(shape.size(), span);
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == -1 && open < 0)
            open = static_cast<std::int64_t>(d);
        else if (shape[d] < 0 || __builtin_mul_overflow(known, shape[d], &known) ||
                 __builtin_mul_overflow(strides, std::max<std::int64_t>(shape[d], 1), &strides))
            fail(DiagId::BadShape, span, cat("invalid shape ", shape_text(shape)));
    }
    if (open >= 0 && known > 0 && tensor->count() % known == 0)
        shape[static_cast<std::size_t>(open)] = tensor->count() / known;
    if (open >= 0 ? known == 0 || tensor->count() % known != 0 : known != tensor->count())
        fail(DiagId::BadShape, span, cat("cannot reshape ", shape_text(tensor->shape), " into ", shape_text(shape)));
    return view_of(tensor, shape);
}

// The same bytes as elements of another type.
TensorRef seen_as(const TensorRef& tensor, ir::DType dtype, Span span) {
    if (!holds_numbers(dtype))
        fail(DiagId::BadType, span, cat("a tensor cannot be viewed as ", ir::info(dtype).name));
    const auto before = static_cast<std::int64_t>(element_bytes(*tensor, span));
    const std::int64_t after = ir::bytes_of(dtype);
    Shape shape = tensor->shape;
    if (before != after) {
        if (shape.empty() || shape.back() * before % after != 0)
            fail(DiagId::BadShape, span,
                 cat("a tensor of shape ", shape_text(shape), " and type ", ir::info(tensor->dtype).name,
                     " cannot be viewed as ", ir::info(dtype).name));
        shape.back() = shape.back() * before / after;
    }
    TensorRef out(new Tensor(*tensor));
    out->dtype = dtype;
    out->shape = std::move(shape);
    return out;
}

} // namespace

Value reshape(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    return Value::tensor(reshaped(self.as_tensor(), ints_of(evaluator, args, span), span));
}

// view(2, 3), view(dtype) or view(dtype, shape), also by name: the same bytes, of which the last dimension has more or fewer elements.
Value view(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    const auto names_dtype = [](const Value& value) {
        return value.is(ValueKind::Type) || value.is(ValueKind::Str) || value.extension<TorchDType>();
    };
    const bool is_by_name = !args.keywords.empty() || (args.positional.size() == 2 && names_dtype(args.positional[0]));
    const bool is_dtype = args.positional.size() == 1 && args.keywords.empty() && names_dtype(args.positional[0]);
    if (!is_by_name && !is_dtype)
        return reshape(evaluator, self, args, span);
    const Arguments a(args, span, "view", {"dtype=", "shape="});
    const bool has_shape = a.has(1);
    TensorRef seen = self.as_tensor();
    if (a.has(0))
        seen = seen_as(seen, dtype_argument(a[0], a.span(0)), a.span(0));
    return Value::tensor(has_shape ? reshaped(seen, ints_of(evaluator, {.positional = {a[1]}}, span), span) : seen);
}

Value flatten(Evaluator&, const Value& self, const Arguments& a, Span) {
    const Shape& shape = self.as_tensor()->shape;
    if (shape.empty())
        return Value::tensor(view_of(self.as_tensor(), {1}));
    auto begin = static_cast<std::size_t>(checked_dim(a.integer(0, 0), shape.size(), a.span(0)));
    auto end = static_cast<std::size_t>(checked_dim(a.integer(1, -1), shape.size(), a.span(1)));
    Shape out(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(begin));
    std::int64_t joined = 1;
    if (begin > end)
        fail(DiagId::BadShape, a.span(0), "flatten() wants a first dimension that is not after the last");
    for (std::size_t d = begin; d <= end; ++d)
        joined *= shape[d];
    out.push_back(joined);
    out.insert(out.end(), shape.begin() + static_cast<std::ptrdiff_t>(end) + 1, shape.end());
    return Value::tensor(view_of(self.as_tensor(), out));
}

Value squeeze(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    std::vector<std::int64_t> dims = ints_of(evaluator, args, span);
    const Shape& shape = self.as_tensor()->shape;
    for (std::int64_t& dim : dims)
        dim = checked_dim(dim, shape.size(), span);
    Shape out;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        bool chosen = dims.empty() || std::ranges::find(dims, static_cast<std::int64_t>(d)) != dims.end();
        if (shape[d] != 1 || !chosen)
            out.push_back(shape[d]);
    }
    return Value::tensor(view_of(self.as_tensor(), out));
}

Value unsqueeze(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    std::vector<std::int64_t> dims = ints_of(evaluator, args, span);
    Shape out = self.as_tensor()->shape;
    for (std::int64_t dim : dims)
        out.insert(out.begin() + checked_dim(dim, out.size() + 1, span), 1);
    check_rank(out.size(), span);
    return Value::tensor(view_of(self.as_tensor(), out));
}

Value permute(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    std::vector<std::int64_t> dims = ints_of(evaluator, args, span);
    std::size_t rank = self.as_tensor()->shape.size();
    std::vector<bool> seen(rank);
    if (dims.size() != rank)
        fail(DiagId::BadShape, span, cat("permute() wants ", rank, " dimensions, but ", dims.size(), " were given"));
    for (std::int64_t& dim : dims) {
        dim = checked_dim(dim, rank, span);
        if (seen[static_cast<std::size_t>(dim)])
            fail(DiagId::BadShape, span, "permute() got a dimension twice");
        seen[static_cast<std::size_t>(dim)] = true;
    }
    return Value::tensor(tensor_transpose(evaluator, self.as_tensor(), dims, span));
}

Value transpose(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    std::vector<std::int64_t> dims = ints_of(evaluator, args, span);
    std::size_t rank = self.as_tensor()->shape.size();
    if (dims.size() == 2)
        return Value::tensor(
            tensor_transpose(evaluator, self.as_tensor(), swapped_order(rank, dims[0], dims[1], span), span));
    if (dims.size() == rank)
        return permute(evaluator, self, args, span);
    if (dims.empty())
        return Value::tensor(reversed_dims(evaluator, self.as_tensor(), span));
    fail(DiagId::BadShape, span, "transpose() wants two dimensions");
}

// rearrange([[0, 2], [1]]): the dimensions of each list become one.
Value rearrange(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    const Shape& from = self.as_tensor()->shape;
    std::vector<std::int64_t> order;
    Shape merged;
    for (const Value& group : evaluator.iterate(a[0], a.span(0))) {
        std::int64_t extent = 1;
        for (const std::int64_t dim : shape_like(evaluator, group, a.span(0))) {
            order.push_back(checked_dim(dim, from.size(), a.span(0)));
            extent *= from[static_cast<std::size_t>(order.back())];
        }
        merged.push_back(extent);
    }
    for (std::int64_t dim = 0; dim < static_cast<std::int64_t>(from.size()); ++dim)
        if (std::ranges::find(order, dim) == order.end()) {
            if (from[static_cast<std::size_t>(dim)] != 1)
                fail(DiagId::BadShape, a.span(0), cat("the plan leaves out dimension ", dim, " of ", shape_text(from)));
            order.push_back(dim);
        }
    if (order.size() != from.size())
        fail(DiagId::BadShape, a.span(0), cat("the plan has a dimension of ", shape_text(from), " twice"));
    return Value::tensor(view_of(tensor_transpose(evaluator, self.as_tensor(), order, span), merged));
}

Value t(Evaluator& evaluator, const Value& self, const Arguments&, Span span) {
    if (self.as_tensor()->shape.size() > 2)
        fail(DiagId::BadShape, span, "t() wants a tensor of at most two dimensions");
    return Value::tensor(reversed_dims(evaluator, self.as_tensor(), span));
}

Value expand(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    Shape wanted = ints_of(evaluator, args, span);
    const TensorRef& tensor = self.as_tensor();
    std::size_t extra = wanted.size() < tensor->shape.size() ? 0 : wanted.size() - tensor->shape.size();
    for (std::size_t d = 0; d < wanted.size(); ++d)
        if (wanted[d] == -1 && d >= extra)
            wanted[d] = tensor->shape[d - extra];
    if (broadcast("expand", tensor->shape, wanted, span) != wanted)
        fail(DiagId::ShapeMismatch, span, "expand", shape_text(tensor->shape), shape_text(wanted));
    TensorRef zeros = new_tensor(evaluator, wanted, kind_of(*tensor), span);
    tensor_assign(evaluator, Value::tensor(zeros), Value::ellipsis(), self, span);
    zeros->is_strided_view = tensor->is_torch;
    return Value::tensor(zeros);
}

} // namespace shapes

} // namespace hidet::lang
