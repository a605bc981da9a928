// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/ready_order.h"

#include <functional>
#include <queue>
#include <utility>

namespace hidet::graph {

std::vector<std::size_t> ready_order(const std::vector<std::uint32_t>& ranks, const std::vector<Arrow>& arrows) {
    std::vector<int> missing(ranks.size());
    std::vector<std::vector<std::size_t>> waiting(ranks.size());
    for (const Arrow& arrow : arrows) {
        waiting[arrow.from].push_back(arrow.to);
        ++missing[arrow.to];
    }
    using Ready = std::pair<std::uint32_t, std::size_t>;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    for (std::size_t i = 0; i < ranks.size(); ++i)
        if (missing[i] == 0)
            ready.emplace(ranks[i], i);
    std::vector<std::size_t> result;
    while (!ready.empty()) {
        const std::size_t next = ready.top().second;
        ready.pop();
        result.push_back(next);
        for (const std::size_t each : waiting[next])
            if (--missing[each] == 0)
                ready.emplace(ranks[each], each);
    }
    return result;
}

} // namespace hidet::graph
