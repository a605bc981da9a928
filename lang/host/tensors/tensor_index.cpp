// SPDX-License-Identifier: Apache-2.0
// tensor[...]: integers, slices, None and `...`; also a mask or a list of rows. Reads of whole rows share memory.
#include <algorithm>
#include <cstring>

#include "lang/host/interpreter.h"
#include "lang/host/slices.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::lang {

namespace {

// The elements that an index selects: a shape, and the place of each element.
struct Selection {
    Shape shape;
    std::int64_t first = 0;
    std::vector<std::int64_t> strides; // of `shape`, in elements
    bool is_contiguous() const {
        std::int64_t expected = 1;
        for (std::size_t d = shape.size(); d-- > 0;) {
            if (shape[d] != 1 && strides[d] != expected)
                return false;
            expected *= shape[d];
        }
        return true;
    }
};

std::vector<std::int64_t> row_major_strides(const Shape& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t d = shape.size(); d-- > 1;)
        strides[d - 1] = strides[d] * shape[d];
    return strides;
}

Selection select(const Tensor& tensor, const Value& index, Span span) {
    std::vector<Value> parts;
    if (index.is(ValueKind::Tuple))
        parts = index.items();
    else
        parts.push_back(index);
    auto used = static_cast<std::size_t>(std::ranges::count_if(
        parts, [](const Value& p) { return !p.is(ValueKind::None) && !p.is(ValueKind::Ellipsis); }));
    std::size_t rank = tensor.shape.size();
    if (used > rank)
        fail(DiagId::BadShape, span,
             cat("too many indices for a tensor of ", rank, rank == 1 ? " dimension: " : " dimensions: ", used));
    std::vector<std::int64_t> strides = row_major_strides(tensor.shape);
    Selection out;
    std::size_t dim = 0;
    auto keep = [&](std::size_t count) {
        for (; count > 0; --count, ++dim) {
            out.shape.push_back(tensor.shape[dim]);
            out.strides.push_back(strides[dim]);
        }
    };
    for (const Value& part : parts) {
        if (part.is(ValueKind::Ellipsis)) {
            keep(rank - used);
            used = rank;
        } else if (part.is(ValueKind::None)) {
            out.shape.push_back(1);
            out.strides.push_back(0);
        } else if (part.is(ValueKind::Slice)) {
            SliceBounds bounds = slice_bounds(object_of<SliceObject>(part), tensor.shape[dim], span);
            out.first += bounds.start * strides[dim];
            out.shape.push_back(bounds.count);
            out.strides.push_back(bounds.count > 1 ? bounds.step * strides[dim] : 0); // one element takes no step
            ++dim;
        } else {
            Value at = part;
            if (part.is(ValueKind::Tensor) && part.as_tensor()->count() == 1 && part.as_tensor()->has_data())
                at = Value::integer(element_integer(*part.as_tensor(), 0));
            out.first += checked_index(at, tensor.shape[dim], "tensor", span) * strides[dim];
            ++dim;
        }
    }
    keep(rank - dim);
    check_rank(out.shape.size(), span);
    return out;
}

// Calls f(place in the tensor) for every selected element, in order.
template <class F>
void for_each_place(const Selection& selection, F&& f) {
    std::vector<std::int64_t> index(selection.shape.size(), 0);
    std::int64_t at = selection.first;
    for (std::int64_t i = 0, count = count_of(selection.shape); i < count; ++i) {
        f(at);
        for (std::size_t d = selection.shape.size(); d-- > 0;) {
            at += selection.strides[d];
            if (++index[d] < selection.shape[d])
                break;
            at -= selection.strides[d] * selection.shape[d];
            index[d] = 0;
        }
    }
}

// Row after row, each of so many elements.
void copy_rows(const Tensor& from, const std::vector<std::int64_t>& rows, Tensor& to, std::size_t elements, Span span) {
    const std::size_t bytes = elements * element_bytes(from, span);
    const std::byte* source = from.read();
    std::byte* target = to.data();
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::memcpy(target + i * bytes, source + static_cast<std::size_t>(rows[i]) * bytes, bytes);
}

// Rows by a list or a tensor of integers, or by a mask over the leading dimensions.
std::optional<std::vector<std::int64_t>> row_list(Evaluator& evaluator, const Tensor& tensor, const Value& index,
                                                  Span span) {
    if (!index.is(ValueKind::List) && !index.is(ValueKind::Tensor))
        return std::nullopt;
    if (tensor.shape.empty())
        return std::nullopt;
    std::vector<std::int64_t> rows;
    if (index.is(ValueKind::List)) {
        for (const Value& item : index.items())
            rows.push_back(checked_index(item, tensor.shape[0], "tensor", span));
        return rows;
    }
    const Tensor& chooser = *index.as_tensor();
    if (chooser.shape.empty())
        return std::nullopt;
    if (!chooser.has_data())
        throw UnknownValue{};
    (void)evaluator;
    if (chooser.dtype == ir::DType::Bool)
        return std::nullopt;
    for (std::int64_t row : read_integers(chooser))
        rows.push_back(checked_index(Value::integer(row), tensor.shape[0], "tensor", span));
    return rows;
}

// x[i, j]: one element, or one part, for each place of the tensors of integers, which are broadcast to one shape.
std::optional<Value> by_tensors(Evaluator& evaluator, const Tensor& tensor, const Value& index, Span span) {
    if (!index.is(ValueKind::Tuple))
        return std::nullopt;
    const auto is_places = [](const Value& each) {
        return each.is(ValueKind::Tensor) && each.as_tensor()->dtype != ir::DType::Bool &&
               !ir::is_float(each.as_tensor()->dtype);
    };
    const std::span<const Value> parts = index.items();
    if (std::ranges::none_of(parts,
                             [&](const Value& each) { return is_places(each) && each.as_tensor()->count() != 1; }))
        return std::nullopt;
    if (parts.size() > tensor.shape.size() ||
        !std::ranges::all_of(parts, [&](const Value& each) { return is_places(each) || each.is(ValueKind::Int); }))
        fail(DiagId::BadShape, span, "tensors of integers and single integers index the first dimensions of a tensor");
    Shape joined;
    for (const Value& part : parts)
        if (part.is(ValueKind::Tensor))
            joined = broadcast("index", joined, part.as_tensor()->shape, span);
    std::vector<std::int64_t> rows(static_cast<std::size_t>(count_of(joined)), 0);
    for (std::size_t d = 0; d < parts.size(); ++d) {
        const bool is_one = parts[d].is(ValueKind::Int);
        if (!is_one && !parts[d].as_tensor()->has_data())
            throw UnknownValue{};
        const Integers places = is_one ? Integers{parts[d].as_int()} : read_integers(*parts[d].as_tensor());
        const std::vector<std::int64_t> from =
            broadcast_indices(is_one ? Shape{} : parts[d].as_tensor()->shape, joined);
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i] =
                rows[i] * tensor.shape[d] + checked_index(Value::integer(places[static_cast<std::size_t>(from[i])]),
                                                          tensor.shape[d], "tensor", span);
    }
    Shape shape = joined;
    shape.insert(shape.end(), tensor.shape.begin() + static_cast<std::ptrdiff_t>(parts.size()), tensor.shape.end());
    TensorRef out = new_tensor(evaluator, shape, kind_of(tensor), span);
    if (!tensor.has_data())
        return Value::tensor(without_data(out));
    copy_rows(tensor, rows, *out, rows.empty() ? 0 : static_cast<std::size_t>(out->count()) / rows.size(), span);
    return Value::tensor(out);
}

bool is_mask(const Value& index) {
    return index.is(ValueKind::Tensor) && index.as_tensor()->dtype == ir::DType::Bool &&
           !index.as_tensor()->shape.empty();
}

} // namespace

Value tensor_index(Evaluator& evaluator, const Value& object, const Value& index, Span span) {
    const TensorRef& tensor = object.as_tensor();
    const std::size_t size = element_bytes(*tensor, span);
    if (index.is(ValueKind::Tuple))
        check_rank(index.items().size(), span);
    if (is_mask(index)) {
        const Tensor& mask = *index.as_tensor();
        if (mask.shape != tensor->shape)
            fail(DiagId::ShapeMismatch, span, "a mask", shape_text(tensor->shape), shape_text(mask.shape));
        if (!mask.has_data() || !tensor->has_data())
            return Value::unknown();
        Integers chosen = read_integers(mask);
        TensorRef out = new_tensor(evaluator, {std::ranges::count_if(chosen, [](std::int64_t c) { return c != 0; })},
                                   kind_of(*tensor), span);
        const std::byte* source = tensor->read();
        std::byte* target = out->data();
        for (std::size_t i = 0; i < chosen.size(); ++i)
            if (chosen[i]) {
                std::memcpy(target, source + i * size, size);
                target += size;
            }
        return Value::tensor(out);
    }
    if (auto rows = row_list(evaluator, *tensor, index, span)) {
        Shape shape =
            index.is(ValueKind::Tensor) ? index.as_tensor()->shape : Shape{static_cast<std::int64_t>(rows->size())};
        shape.insert(shape.end(), tensor->shape.begin() + 1, tensor->shape.end());
        TensorRef out = new_tensor(evaluator, shape, kind_of(*tensor), span);
        if (!tensor->has_data() || !out->has_data())
            return Value::tensor(without_data(out));
        copy_rows(*tensor, *rows, *out,
                  tensor->shape[0] == 0 ? 0 : static_cast<std::size_t>(tensor->count() / tensor->shape[0]), span);
        return Value::tensor(out);
    }
    if (auto found = by_tensors(evaluator, *tensor, index, span))
        return *found;
    Selection selection = select(*tensor, index, span);
    if (!tensor->has_data() || selection.is_contiguous()) {
        TensorRef view = view_of(tensor, selection.shape, tensor->has_data() ? selection.first : 0);
        view->is_strided_view = tensor->is_strided_view;
        return Value::tensor(view);
    }
    TensorRef out = new_tensor(evaluator, selection.shape, kind_of(*tensor), span);
    out->is_strided_view = tensor->is_torch;
    const std::byte* source = tensor->read();
    std::byte* target = out->data();
    for_each_place(selection, [&](std::int64_t at) {
        std::memcpy(target, source + static_cast<std::size_t>(at) * size, size);
        target += size;
    });
    evaluator.charge_steps(static_cast<std::uint64_t>(out->count()) / 64, span);
    return Value::tensor(out);
}

void tensor_assign(Evaluator& evaluator, const Value& object, const Value& index, const Value& value, Span span) {
    const TensorRef& tensor = object.as_tensor();
    refuse_write_to_view(*tensor, span);
    TensorKind kind = kind_of(*tensor);
    if (!value.is(ValueKind::Tensor) && !value.is_number() && !value.is(ValueKind::List) &&
        !value.is(ValueKind::Tuple)) {
        if (value.is(ValueKind::Unknown))
            return;
        fail(DiagId::BadType, span, cat("cannot store a '", type_name(value), "' into a tensor"));
    }
    bool mask = is_mask(index);
    if (mask && index.as_tensor()->shape != tensor->shape)
        fail(DiagId::ShapeMismatch, span, "a mask", shape_text(tensor->shape), shape_text(index.as_tensor()->shape));
    Selection selection;
    if (!mask)
        selection = select(*tensor, index, span);
    TensorRef source = tensor_of_data(evaluator, value, std::nullopt, kind, span);
    if (source->dtype != kind.dtype)
        source = converted(evaluator, source, kind, span);
    const Shape& target_shape = mask ? tensor->shape : selection.shape;
    Shape joined = broadcast("assignment", target_shape, source->shape, span);
    if (joined != target_shape)
        fail(DiagId::ShapeMismatch, span, "assignment", shape_text(target_shape), shape_text(source->shape));
    if (!tensor->has_data() || !source->has_data())
        return;
    const std::size_t size = element_bytes(*tensor, span);
    std::vector<std::int64_t> from = broadcast_indices(source->shape, target_shape);
    const std::byte* bytes = source->read();
    std::vector<std::byte> copy(bytes,
                                bytes + static_cast<std::size_t>(source->count()) * size); // they may overlap
    if (mask) {
        Integers chosen = read_integers(*index.as_tensor());
        std::byte* target = tensor->data();
        for (std::size_t i = 0; i < chosen.size(); ++i)
            if (chosen[i])
                std::memcpy(target + i * size, copy.data() + static_cast<std::size_t>(from[i]) * size, size);
        return;
    }
    std::byte* target = tensor->data();
    std::size_t i = 0;
    for_each_place(selection, [&](std::int64_t at) {
        std::memcpy(target + static_cast<std::size_t>(at) * size,
                    copy.data() + static_cast<std::size_t>(from[i++]) * size, size);
    });
    if (selection.shape == tensor->shape)
        tensor->storage->uninitialised = false;
}

} // namespace hidet::lang
