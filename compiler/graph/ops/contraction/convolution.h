// SPDX-License-Identifier: Apache-2.0
// One definition of convolution for any number of spatial dimensions.
#pragma once

#include <string>

#include "compiler/graph/core/op.h"

namespace hidet::graph {

enum class ChannelOrder : std::uint8_t { First, Last };

// Inputs: x [n, c, spatial...] (or channels last), w [out channels, c / groups, kernel...] whichever the order. Attributes:
// stride, padding, dilations (see window.h), groups. Rank 0: as many spatial dimensions as the input has.
Task define_convolution(const OpCall& call, const std::string& name, std::size_t rank, ChannelOrder order);

// Inputs: x, w [c, out channels / groups, kernel...]. Further attribute: output_padding.

Task define_transposed_convolution(const OpCall& call, const std::string& name, std::size_t rank);

// The operator for so many spatial dimensions.
const OpInfo& convolution_op(std::size_t rank);
const OpInfo& transposed_convolution_op(std::size_t rank);

} // namespace hidet::graph
