// SPDX-License-Identifier: Apache-2.0
// An order for what waits for each other (Kahn).
#pragma once

#include <cstdint>
#include <vector>

namespace hidet::graph {

struct Arrow { // `to` waits for `from`
    std::size_t from;
    std::size_t to;
};

// Of what may come next, that with the least rank does. What stands in a circle, or behind one, is left out.
std::vector<std::size_t> ready_order(const std::vector<std::uint32_t>& ranks, const std::vector<Arrow>& arrows);

} // namespace hidet::graph
