// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/operators/call.h"

namespace hidet::operators {

struct IndexLimits {
    List<std::int64_t> extents; // that the last dimensions of the indices are for
    bool is_from_end = false, has_ignored = false;
    std::int64_t ignored = 0;
    Text name = text("indices");
};

// The elements lie inside of the extents. The problem names the first that does not.
bool check_indices(const Tensor& indices, const IndexLimits& limits, Problem& problem);

} // namespace hidet::operators
