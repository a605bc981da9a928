// SPDX-License-Identifier: Apache-2.0
// What the random operators share. The numbers depend on the seed alone, and are the same in every run; without the
// attribute `seed` (a float) it is 0.
#pragma once

#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph {

// The constant attribute `shape`; OpError otherwise.
std::vector<std::int64_t> shape_attribute(const Attributes& attributes);
ir::DType dtype_attribute(const Attributes& attributes, ir::DType otherwise);

} // namespace hidet::graph
