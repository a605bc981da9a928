// SPDX-License-Identifier: Apache-2.0
// What a function of hidet.ops takes, read off OpInfo::parameters, and its arguments as operands and attributes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/core/op.h"
#include "lang/host/value.h"

namespace hidet::graph {

enum class ParameterKind : std::uint8_t {
    Tensor,
    Tensors,
    Bool,
    Int,
    Float,
    Number,
    Str,
    DType,
    Ints,
    Floats,
    Texts,
    Shape
};

struct Parameter {
    std::string name;
    ParameterKind kind = ParameterKind::Tensor;
    std::optional<std::string> otherwise; // the default as it is written: "-1", "None"
    bool is_tensor() const { return kind == ParameterKind::Tensor || kind == ParameterKind::Tensors; }
};

// "x, axis: int = -1" -> x, axis. A row that cannot be read is a bug of ours.
std::vector<Parameter> parameters_of(const OpInfo& op);

struct BoundArguments {
    std::vector<lang::Value> operands; // tensors, symbolic or not, and numbers; those left out at the end are missing
    std::vector<Span> spans;           // of the operands
    Attributes attributes;
};

// Diagnostics at the arguments that do not fit.
BoundArguments bind_arguments(lang::Evaluator& evaluator, const OpInfo& op, const lang::Args& args, Span span);

// An extent of a shape: an int, or arithmetic on symbolic dimensions.
Dim dim_argument(const lang::Value& value, Span span);
Shape symbolic_shape(lang::Evaluator& evaluator, const lang::Value& value, Span span);

} // namespace hidet::graph
