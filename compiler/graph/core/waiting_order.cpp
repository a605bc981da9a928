// SPDX-License-Identifier: Apache-2.0
// A send has the place that it has among the sends. What comes behind one stands right behind the last of them, and what comes
// behind none right before the first that takes it.
#include "compiler/graph/core/waiting_order.h"

#include <algorithm>

namespace hidet::graph {

std::vector<std::uint32_t> ranks_of_waiting(const std::vector<std::size_t>& order, const std::vector<Arrow>& arrows,
                                            const std::vector<bool>& sends) {
    const std::size_t size = sends.size(); // what stands in a circle is not in the order
    std::vector<std::vector<std::size_t>> readers(size);
    for (const Arrow& arrow : arrows)
        readers[arrow.from].push_back(arrow.to);
    std::vector<std::size_t> number(size), last(size); // of sends from 1 on; 0: none
    std::size_t count = 0;
    for (const std::size_t each : order) {
        if (sends[each])
            last[each] = number[each] = ++count;
        for (const std::size_t reader : readers[each])
            last[reader] = std::max(last[reader], last[each]);
    }
    std::vector<std::size_t> first(size, count + 1);
    for (auto each = order.rbegin(); each != order.rend(); ++each)
        for (const std::size_t reader : readers[*each])
            first[*each] = std::min(first[*each], number[reader] > 0 ? number[reader] : first[reader]);
    const auto place = [&](const std::size_t each) {
        if (number[each] > 0)
            return 2 * number[each];
        return last[each] > 0 ? 2 * last[each] + 1 : 2 * first[each] - 1;
    };
    std::vector<std::size_t> sorted = order;
    std::ranges::stable_sort(sorted, {}, place);
    std::vector<std::uint32_t> ranks(size);
    for (std::uint32_t i = 0; i < sorted.size(); ++i)
        ranks[sorted[i]] = i;
    return ranks;
}

} // namespace hidet::graph
