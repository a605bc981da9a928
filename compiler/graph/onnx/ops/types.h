// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/graph/onnx/node_call.h"

namespace hidet::graph::onnx {

// How a number becomes one of the types of 8 bits and less.
struct Narrowing {
    bool saturates = true;         // what is too large is the largest number; else an infinity or NaN
    std::string round_mode = "up"; // of float8e8m0: or "down", "nearest"
};

// x as a tensor of ONNX's type, by the rules of Cast.
Val converted(NodeCall& node, const Val& x, std::int32_t type, const Narrowing& how = {});

} // namespace hidet::graph::onnx
