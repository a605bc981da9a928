// SPDX-License-Identifier: Apache-2.0
// What the standard says of an operator's operands: how many, and of which types (onnx_operands.def).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/graph/onnx/node_call.h"

namespace hidet::graph::onnx {

// OpError: the operator of this version takes other operands. Says nothing of operators that have no row.
void check_operands(const NodeCall& node);

// OpError: what a graph declares of a value is not what it gets, of which type that is.
void check_declared(const ValueInfo& declared, const Val& value, std::string_view what);

// Why the operator is not in the version, where it is in another one; else nothing.
std::string problem_of_version(std::string_view domain, std::string_view op, std::int64_t version);

} // namespace hidet::graph::onnx
