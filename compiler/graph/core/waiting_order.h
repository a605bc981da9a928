// SPDX-License-Identifier: Apache-2.0
// Where processes wait for what another one sends, what they compute in the meantime decides how long. What is sent is sent
// before anything is computed that it does not take, and what was received is used before the next tensor is waited for.
#pragma once

#include "compiler/graph/core/ready_order.h"

namespace hidet::graph {

// For ready_order(), of nodes that come in some order in which they can run; `sends`: those that one process sends to others.
std::vector<std::uint32_t> ranks_of_waiting(const std::vector<std::size_t>& order, const std::vector<Arrow>& arrows,
                                            const std::vector<bool>& sends);

} // namespace hidet::graph
