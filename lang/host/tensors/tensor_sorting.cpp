// SPDX-License-Identifier: Apache-2.0
// sort, argsort and topk. Elements that are equal keep their order, so that indices are the same everywhere; a NaN is
// greater than every number, as in PyTorch.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "lang/host/arguments.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/host/tensors/tensor_selection.h"
#include "lang/tensor/whole.h"

namespace hidet::lang {

Lines::Lines(const Shape& shape, std::size_t dim) {
    if (shape.empty())
        return;
    extent = static_cast<std::size_t>(shape[dim]);
    for (std::size_t d = dim + 1; d < shape.size(); ++d)
        stride *= static_cast<std::size_t>(shape[d]);
    const auto elements = static_cast<std::size_t>(count_of(shape));
    count = elements == 0 ? 0 : elements / extent;
}

std::span<const Member<ValuesAndIndices>> ValuesAndIndices::members() {
    static constexpr Member<ValuesAndIndices> rows[] = {
        {"values", [](const ValuesAndIndices& self) { return self.values; }},
        {"indices", [](const ValuesAndIndices& self) { return self.indices; }},
    };
    return rows;
}
std::unique_ptr<Value> ValuesAndIndices::subscript(Evaluator& evaluator, const Value& index, Span span) {
    return boxed(evaluator.subscript(Value::tuple({values, indices}), index, span, span));
}
std::unique_ptr<std::vector<Value>> ValuesAndIndices::iterate(Evaluator&, Span) {
    return std::make_unique<std::vector<Value>>(std::vector<Value>{values, indices});
}

namespace {

bool is_less(double a, double b) {
    return std::isnan(b) ? !std::isnan(a) : a < b;
}
bool is_less(const Whole& a, const Whole& b) {
    return a < b;
}

// Of each line the indices of the first `kept` elements in order, one line after the other.
template <class T>
Integers order_of(const std::vector<T>& values, const Lines& lines, std::size_t kept, bool descending) {
    Integers order, line(lines.extent);
    order.reserve(lines.count * kept);
    for (std::size_t l = 0; l < lines.count; ++l) {
        const T* x = values.data() + lines.first(l);
        auto at = [&](std::int64_t i) -> const T& { return x[static_cast<std::size_t>(i) * lines.stride]; };
        auto is_before = [&](std::int64_t a, std::int64_t b) {
            if (is_less(at(a), at(b)))
                return !descending;
            return is_less(at(b), at(a)) ? descending : a < b;
        };
        std::iota(line.begin(), line.end(), 0);
        if (kept < line.size())
            std::partial_sort(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(kept), line.end(), is_before);
        else
            std::ranges::sort(line, is_before);
        order.insert(order.end(), line.begin(), line.begin() + static_cast<std::ptrdiff_t>(kept));
    }
    return order;
}

struct Ordered {
    TensorRef values, indices;
};

// The first `kept` elements along a dimension, and where they were.
Ordered ordered(Evaluator& evaluator, const TensorRef& tensor, std::size_t dim, std::int64_t kept, bool descending,
                Span span) {
    Shape shape = tensor->shape;
    if (!shape.empty())
        shape[dim] = kept;
    TensorKind kind = kind_of(*tensor);
    Ordered out{new_tensor(evaluator, shape, kind, span), {}};
    kind.dtype = ir::DType::I64;
    out.indices = new_tensor(evaluator, shape, kind, span);
    if (!tensor->has_data()) {
        out.values->storage = out.indices->storage = nullptr;
        return out;
    }
    if (out.values->count() == 0)
        return out;
    const Lines from(tensor->shape, dim), to(shape, dim);
    const std::size_t size = element_bytes(*tensor, span);
    charge_elements(evaluator, tensor->count(), span);
    evaluator.charge_steps(from.count * from.extent * std::bit_width(from.extent) / 16, span);
    Integers order;
    if (ir::is_float(tensor->dtype)) {
        order = order_of(read_doubles(*tensor), from, to.extent, descending);
    } else {
        std::vector<Whole> wholes;
        for (std::int64_t value : read_integers(*tensor))
            wholes.push_back(whole_of(value, tensor->dtype));
        order = order_of(wholes, from, to.extent, descending);
    }
    const std::byte* source = tensor->read();
    std::byte* target = out.values->data();
    Integers indices(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t line = i / to.extent, place = to.first(line) + i % to.extent * to.stride;
        indices[place] = order[i];
        std::copy_n(source + (from.first(line) + static_cast<std::size_t>(order[i]) * from.stride) * size, size,
                    target + place * size);
    }
    write_integers(*out.indices, indices);
    return out;
}

Value pair_of(const Ordered& ordered) {
    return new_extension<ValuesAndIndices>(Value::tensor(ordered.values), Value::tensor(ordered.indices));
}

Ordered sorted(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    a.want_known();
    const TensorRef& tensor = self.as_tensor();
    const auto dim = static_cast<std::size_t>(checked_dim(a.integer(0, -1), tensor->shape.size(), a.span(0)));
    return ordered(evaluator, tensor, dim, tensor->shape.empty() ? 1 : tensor->shape[dim], a.boolean(1, false), span);
}

} // namespace

namespace selection {

Value sort(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    return pair_of(sorted(evaluator, self, a, span));
}

Value argsort(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    return Value::tensor(sorted(evaluator, self, a, span).indices);
}

Value topk(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    a.want_known();
    const TensorRef& tensor = self.as_tensor();
    const auto dim = static_cast<std::size_t>(checked_dim(a.integer(1, -1), tensor->shape.size(), a.span(1)));
    const std::int64_t k = a.integer(0), extent = tensor->shape.empty() ? 1 : tensor->shape[dim];
    if (k < 0 || k > extent)
        fail(DiagId::BadValue, a.span(0), cat("topk() cannot choose ", k, " of ", extent, " elements"));
    if (tensor->shape.empty() && k == 0) // has no shape that could say so
        fail(DiagId::BadValue, a.span(0), "topk() chooses the one element of a tensor without dimensions");
    return pair_of(ordered(evaluator, tensor, dim, k, a.boolean(2, true), span));
}

} // namespace selection

} // namespace hidet::lang
