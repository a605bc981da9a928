// SPDX-License-Identifier: Apache-2.0
#include "lang/host/tensors/tensor_data.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "compiler/ir/packing.h"
#include "lang/host/interpreter.h"
#include "lang/tensor/whole.h"

namespace hidet::lang {

using ir::DType;

void check_rank(std::size_t rank, Span span) {
    constexpr std::size_t most = 64;
    if (rank > most)
        fail(DiagId::BadShape, span, cat("a tensor has at most ", most, " dimensions, not ", rank));
}

TensorRef new_tensor(Evaluator& evaluator, const Shape& shape, TensorKind kind, Span span) {
    check_rank(shape.size(), span);
    constexpr std::uint64_t too_many = std::numeric_limits<std::uint64_t>::max() / 2;
    std::uint64_t count = 1;
    bool is_empty = false;
    for (std::int64_t extent : shape) {
        if (extent < 0)
            fail(DiagId::BadShape, span, cat("a dimension cannot be negative: ", shape_text(shape)));
        is_empty = is_empty || extent == 0;
        const auto factor = static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1)); // strides are numbers, too
        if (__builtin_mul_overflow(count, factor, &count) || count > too_many)
            count = too_many;
    }
    // A preview takes no memory that could be refused, and neither does a tensor without elements.
    if (count == too_many && (is_empty || evaluator.in_preview()))
        fail(DiagId::BadShape, span,
             cat("a tensor of shape ", shape_text(shape), " has more elements than can be counted"));
    const std::int64_t exact = is_empty ? 0 : ir::packed_bytes(kind.dtype, static_cast<std::int64_t>(count));
    const std::uint64_t bytes = exact < 0 ? too_many : static_cast<std::uint64_t>(exact);
    TensorRef tensor(new Tensor);
    tensor->dtype = kind.dtype;
    tensor->shape = shape;
    tensor->device = kind.device;
    tensor->is_torch = kind.is_torch;
    if (evaluator.in_preview())
        return tensor;
    evaluator.impl().check_bytes(bytes, span);
    evaluator.charge_steps(bytes / 1024, span);
    tensor->storage = std::make_shared<Storage>(static_cast<std::size_t>(bytes));
    return tensor;
}

std::size_t element_bytes(const Tensor& tensor, Span span) {
    if (ir::is_subbyte(tensor.dtype))
        fail(DiagId::BadType, span,
             cat("the elements of a tensor of ", ir::info(tensor.dtype).name,
                 " are no whole bytes; convert it first, as by .to('int8')"));
    return static_cast<std::size_t>(ir::bytes_of(tensor.dtype));
}

Value element_value(const Tensor& tensor, std::int64_t i, Span span) {
    if (tensor.dtype == DType::Bool)
        return Value::boolean(element_integer(tensor, i) != 0);
    if (ir::is_float(tensor.dtype))
        return Value::real(element_double(tensor, i));
    Whole number = whole_of(element_integer(tensor, i), tensor.dtype);
    if (number.is_beyond())
        fail(DiagId::BadValue, span,
             cat("the element ", text_of(number), " does not fit into an int, which has 64 bits"));
    return Value::integer(number.bits);
}

TensorRef from_doubles(Evaluator& evaluator, const Shape& shape, TensorKind kind, const Doubles& values, Span span) {
    TensorRef tensor = new_tensor(evaluator, shape, kind, span);
    if (tensor->has_data())
        write_doubles(*tensor, values);
    return tensor;
}

TensorRef from_integers(Evaluator& evaluator, const Shape& shape, TensorKind kind, const Integers& values, Span span) {
    TensorRef tensor = new_tensor(evaluator, shape, kind, span);
    if (tensor->has_data())
        write_integers(*tensor, values);
    return tensor;
}

TensorRef converted(Evaluator& evaluator, const TensorRef& tensor, TensorKind kind, Span span) {
    TensorRef out = new_tensor(evaluator, tensor->shape, kind, span);
    if (!tensor->has_data() || !out->has_data())
        return without_data(out);
    if (tensor->dtype == kind.dtype) {
        std::memcpy(out->data(), tensor->read(), out->storage->bytes);
        out->storage->uninitialised = tensor->storage->uninitialised;
    } else {
        convert_elements(*tensor, *out);
    }
    return out;
}

Shape broadcast(std::string_view what, const Shape& a, const Shape& b, Span span) {
    Shape out(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (x != y && x != 1 && y != 1)
            fail(DiagId::ShapeMismatch, span, what, shape_text(a), shape_text(b));
        out[out.size() - 1 - i] = x == 1 ? y : x;
    }
    return out;
}

} // namespace hidet::lang
