// SPDX-License-Identifier: Apache-2.0
// The converters that onnx_ops.def names; those of one family stand in one file of compiler/graph/onnx/ops.
#pragma once

#include "compiler/graph/onnx/node_call.h"

namespace hidet::graph::onnx {

#define HIDET_ONNX_OP(domain, name, since, convert) Vals convert(NodeCall& node);
#define HIDET_ONNX_AS(domain, name, since, convert, ours) Vals convert(NodeCall& node, OpId op);
#define HIDET_ONNX_ADDS(domain, name, since, ours, ...)
#include "compiler/graph/onnx/onnx_ops.def"
#undef HIDET_ONNX_OP
#undef HIDET_ONNX_ADDS
#undef HIDET_ONNX_AS

} // namespace hidet::graph::onnx
