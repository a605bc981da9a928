// SPDX-License-Identifier: Apache-2.0
// The methods that give a tensor another shape: rows of tensor_methods.cpp, and what other files share of them.
#pragma once

#include "lang/host/arguments.h"
#include "lang/host/evaluator.h"
#include "lang/host/value.h"
#include "lang/tensor/elements.h"

namespace hidet::lang {

Value shape_value(const Shape& shape); // a tuple
// The order of dimensions in which two are exchanged; a dimension that is not there is a diagnostic.
std::vector<std::int64_t> swapped_order(std::size_t rank, std::int64_t a, std::int64_t b, Span span);
TensorRef reversed_dims(Evaluator& evaluator, const TensorRef& tensor, Span span);

namespace shapes {

Value reshape(Evaluator& evaluator, const Value& self, Args& args, Span span);
Value view(Evaluator& evaluator, const Value& self, Args& args, Span span);
Value flatten(Evaluator& evaluator, const Value& self, const Arguments& a, Span span);
Value squeeze(Evaluator& evaluator, const Value& self, Args& args, Span span);
Value unsqueeze(Evaluator& evaluator, const Value& self, Args& args, Span span);
Value permute(Evaluator& evaluator, const Value& self, Args& args, Span span);
Value transpose(Evaluator& evaluator, const Value& self, Args& args, Span span);
Value rearrange(Evaluator& evaluator, const Value& self, const Arguments& a, Span span);
Value t(Evaluator& evaluator, const Value& self, const Arguments& a, Span span);
Value expand(Evaluator& evaluator, const Value& self, Args& args, Span span);

} // namespace shapes

} // namespace hidet::lang
