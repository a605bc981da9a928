// SPDX-License-Identifier: Apache-2.0
// What operators of ONNX Runtime's own domain have in common. They are what its optimiser makes of several standard ones; here
// they become several again, so that every target and every fusion knows them.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "compiler/graph/onnx/node_call.h"

namespace hidet::graph::onnx {

// OpError where an operand, a result or another value of an attribute is asked for that has no meaning here.
void refuse_input(const NodeCall& node, std::size_t i, const char* name);
void refuse_result(const NodeCall& node, std::size_t i, const char* name);
void refuse_attribute(const NodeCall& node, const char* name, std::int64_t otherwise = 0);

// A parameter that the operator wants to be one number. OpError with its name else.
Val one_number(NodeCall& node, std::size_t i, const char* name);

// What is computed with more than f16 has: f32, or f64 as it is.
ir::DType wide_type(ir::DType dtype);
Val widened(NodeCall& node, const Val& x);

// x plus a vector along its last dimension (null: none), which operand `name` is.
Val biased(NodeCall& node, const Val& x, const Val& bias, const char* name = "bias");

// x plus a tensor that may be broadcast to it, but does not make it larger; operand `name`.
Val sum_of_one_shape(NodeCall& node, const Val& x, const Val& addend, const char* name);

// The function of an attribute `activation`; its parameters are in the order of the standard's operator, and those that are
// left out have its values. "" is the identity.
struct Activation {
    std::string name;
    std::array<std::optional<double>, 3> parameters;
};
Val activated(NodeCall& node, const Val& x, const Activation& activation);

// Channels moved from the last dimension to the second, and back.
Val channels_first(NodeCall& node, const Val& x);
Val channels_last(NodeCall& node, const Val& x);

// The rows of an embedding; constant indices outside are refused. `i` is the operand that the indices are.
Val rows_at(NodeCall& node, const Val& table, std::size_t i);

} // namespace hidet::graph::onnx
