// SPDX-License-Identifier: Apache-2.0
// The tasks of a mapping as plain numbers, where all of its extents are known: what tasks_of() says, without expressions.
#pragma once

#include <optional>

#include "compiler/ir/mapping.h"

namespace hidet::ir {

struct ConstantTasks {
    std::vector<std::int64_t> shape; // of the tasks
    std::int64_t workers = 0;
    std::int64_t per_worker = 0;
    // Row-major numbers of elements of the shape: the task k of worker w is at w * per_worker + k.
    std::vector<std::int64_t> elements;
};

struct TaskExtents {
    std::vector<std::int64_t> shape;
    std::int64_t workers = 0;
    std::int64_t per_worker = 0;
};
// Nothing: an extent is not known, is not positive, or a product of them is more than an i64 holds.
std::optional<TaskExtents> constant_extents(const MappingRef& mapping);
// Nothing: as above, or there are more tasks than `most`.
std::optional<ConstantTasks> constant_tasks(const MappingRef& mapping, std::int64_t most);

} // namespace hidet::ir
