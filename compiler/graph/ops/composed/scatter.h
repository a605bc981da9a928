// SPDX-License-Identifier: Apache-2.0
// Scattering by the operator that suits the extents: the compute definition, which keeps the tensor where it is, when the
// elements times the places that each looks at are few; the loop on the host otherwise.
#pragma once

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

const OpInfo& scatter_elements_op(const Shape& data, const Shape& indices, std::int64_t axis);
const OpInfo& scatter_nd_op(const Shape& data, const Shape& indices);

} // namespace hidet::graph
