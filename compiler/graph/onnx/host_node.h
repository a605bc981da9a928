// SPDX-License-Identifier: Apache-2.0
// Operators of the host whose results have extents that are known when they run: what the attributes say of results.
#pragma once

#include <vector>

#include "compiler/graph/core/op.h"

namespace hidet::graph::onnx {

// An extent of -1 is one that is not known.
Attributes describe_results(const std::vector<TensorSpec>& results);
std::vector<TensorSpec> described_results(const OpCall& call, FreshSymbols& symbols);

} // namespace hidet::graph::onnx
