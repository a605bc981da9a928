// SPDX-License-Identifier: Apache-2.0
// The methods that order, choose and count elements, with PyTorch's rules: rows of tensor_methods.cpp.
#pragma once

#include "lang/host/arguments.h"
#include "lang/host/evaluator.h"
#include "lang/host/value.h"
#include "lang/tensor/elements.h"

namespace hidet::lang {

// A row-major array as its lines along one dimension: their elements are `stride` apart. One number is a line of one.
struct Lines {
    Lines(const Shape& shape, std::size_t dim);
    std::size_t first(std::size_t line) const { return line / stride * stride * extent + line % stride; }
    std::size_t count = 1; // 0 when there is no element
    std::size_t extent = 1;
    std::size_t stride = 1;
};

namespace selection {

Value sort(Evaluator& evaluator, const Value& self, const Arguments& a, Span span);
Value argsort(Evaluator& evaluator, const Value& self, const Arguments& a, Span span);
Value topk(Evaluator& evaluator, const Value& self, const Arguments& a, Span span);
Value gather(Evaluator& evaluator, const Value& self, const Arguments& a, Span span);
Value scatter(Evaluator& evaluator, const Value& self, Args& args, Span span);
Value scatter_in_place(Evaluator& evaluator, const Value& self, Args& args, Span span);
Value scatter_add(Evaluator& evaluator, const Value& self, Args& args, Span span);
Value scatter_add_in_place(Evaluator& evaluator, const Value& self, Args& args, Span span);
Value cumsum(Evaluator& evaluator, const Value& self, const Arguments& a, Span span);
Value bincount(Evaluator& evaluator, const Value& self, const Arguments& a, Span span);

} // namespace selection

} // namespace hidet::lang
