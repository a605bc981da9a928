// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "compiler/graph/core/task.h"

namespace hidet::graph {

using ReadInput = std::function<ir::ExprRef(std::size_t input, ir::ExprVec indices)>;

// What an injective task gives for an element of an output, in terms of elements of its inputs.
ir::ExprRef element_of(const Task& task, std::size_t output, const ir::ExprVec& indices, const ReadInput& read);

// Where an element of an input goes.
ir::ExprVec mapped(const InverseMap& map, const ir::ExprVec& indices);

} // namespace hidet::graph
