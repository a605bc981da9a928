// SPDX-License-Identifier: Apache-2.0
// Tensors that a script makes: their bytes are charged to its budget, and a preview makes shapes without data.
#pragma once

#include "lang/host/evaluator.h"
#include "lang/tensor/elements.h"

namespace hidet::lang {

// A tensor may have so many dimensions, as in PyTorch: BadShape at the span.
void check_rank(std::size_t rank, Span span);
// Without data in preview. The bytes are charged before they are taken.
TensorRef new_tensor(Evaluator& evaluator, const Shape& shape, TensorKind kind, Span span);
// As those of a preview are.
inline TensorRef without_data(TensorRef tensor) {
    tensor->storage = nullptr;
    return tensor;
}
TensorRef from_doubles(Evaluator& evaluator, const Shape& shape, TensorKind kind, const Doubles& values, Span span);
TensorRef from_integers(Evaluator& evaluator, const Shape& shape, TensorKind kind, const Integers& values, Span span);
TensorRef converted(Evaluator& evaluator, const TensorRef& tensor, TensorKind kind, Span span);
// A Python number; a uint64 that is none of 64 bits with a sign is BadValue at the span.
Value element_value(const Tensor& tensor, std::int64_t i, Span span);
std::size_t element_bytes(const Tensor& tensor, Span span); // of whole bytes: a diagnostic for packed ones

// The shape of an operation on both; ShapeMismatch at the span.
Shape broadcast(std::string_view what, const Shape& a, const Shape& b, Span span);

} // namespace hidet::lang
