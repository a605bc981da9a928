// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/graph/onnx/ops/windows.h"

namespace hidet::graph::onnx {

// The convolution that the node's attributes describe, without a bias.
Val convolved(NodeCall& node, Val x, const Val& weight);

} // namespace hidet::graph::onnx
