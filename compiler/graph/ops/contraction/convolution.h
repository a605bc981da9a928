// SPDX-License-Identifier: Apache-2.0
// Convolutions for any number of spatial dimensions.
#pragma once

#include "compiler/graph/core/op.h"

namespace hidet::graph {

// The operator for so many spatial dimensions.
const OpInfo& convolution_op(std::size_t rank);
const OpInfo& transposed_convolution_op(std::size_t rank);

} // namespace hidet::graph
