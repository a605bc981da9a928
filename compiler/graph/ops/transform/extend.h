// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/graph/core/op.h"

namespace hidet::graph {

// Of a call of Pad: the pads before each dimension, then those after each. The attribute may have those of the last dimensions alone.
Shape pads_of(const OpCall& call);

} // namespace hidet::graph
