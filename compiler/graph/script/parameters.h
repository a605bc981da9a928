// SPDX-License-Identifier: Apache-2.0
// The arguments of a function of hidet.ops as operands and attributes.
#pragma once

#include <optional>
#include <vector>

#include "compiler/graph/core/op.h"
#include "lang/host/value.h"

namespace hidet::graph {

struct BoundArguments {
    std::vector<lang::Value> operands; // tensors, symbolic or not, and numbers; those left out at the end are missing
    std::vector<Span> spans;           // of the operands
    Attributes attributes;
};

// Diagnostics at the arguments that do not fit.
BoundArguments bind_arguments(lang::Evaluator& evaluator, const OpInfo& op, const lang::Args& args, Span span);

// A value of the script as an attribute: numbers, texts, dtypes, tensors, lists of numbers or of texts. Nothing: it is none
// of these.
std::optional<Attribute> plain_attribute(lang::Evaluator& evaluator, const lang::Value& value, Span span);

// An extent of a shape: an int, or arithmetic on symbolic dimensions.
Dim dim_argument(const lang::Value& value, Span span);
Shape symbolic_shape(lang::Evaluator& evaluator, const lang::Value& value, Span span);

} // namespace hidet::graph
