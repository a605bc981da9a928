// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hidet::graph {

constexpr int most_nested_graphs =
    64; // as attributes of nodes, one within the other: no more than a plan may have bodies

} // namespace hidet::graph
