// SPDX-License-Identifier: Apache-2.0
// Operators of the host whose results have extents that are known when they run: what the attributes say of results.
#pragma once

#include <vector>

#include "compiler/graph/core/op.h"

namespace hidet::graph::onnx {

// An extent of -1 is one that is not known.
void describe_results(Attributes& attributes, const std::vector<TensorSpec>& results);
// OpError where the attributes say no dtype or no shape.
std::vector<TensorSpec> described_results(const OpCall& call, FreshSymbols& symbols);
// OpError unless the body takes `own` values, then the last `operands` of the call's, and makes, after the first `dropped`,
// what the call's results are.
void require_fit(const OpCall& call, const Graph& body, std::size_t own, std::size_t operands, std::size_t dropped);

} // namespace hidet::graph::onnx
