// SPDX-License-Identifier: Apache-2.0
// Finding the smallest arena is dynamic storage allocation, which is NP-hard. Two heuristics, and the better one wins:
//
//  * largest first: buffers in the order of their sizes, each into the tightest gap between those that are already placed and
//    alive at the same time. It comes within a few percent of the bound on real models, because the buffers that make the
//    peak are placed when nothing is in their way. It looks at every pair of buffers that are alive together, so it is left
//    out where there are too many of them (thousands of tensors that all live until the end).
//  * in the order of execution: what an allocator would do that always takes the tightest free region.
#include "compiler/graph/plan/memory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace hidet::graph {

namespace {

constexpr std::size_t max_live_pairs = 4'000'000;

std::int64_t rounded(std::int64_t bytes) {
    return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
}

std::vector<std::uint32_t> numbers_up_to(std::size_t count) {
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

std::vector<std::uint32_t> by_first_step(const std::vector<BufferLife>& buffers) {
    std::vector<std::uint32_t> order = numbers_up_to(buffers.size());
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return buffers[i].first; });
    return order;
}

std::int64_t most_alive(const std::vector<BufferLife>& buffers) {
    std::map<std::int32_t, std::int64_t> changes;
    for (const BufferLife& buffer : buffers) {
        changes[buffer.first] += buffer.bytes;
        changes[buffer.last + 1] -= buffer.bytes;
    }
    std::int64_t alive = 0;
    std::int64_t most = 0;
    for (const auto& [step, change] : changes)
        most = std::max(most, alive += change);
    return most;
}

struct Range {
    std::int64_t begin;
    std::int64_t end;
};

// The tightest gap between the ranges that takes so many bytes, else the place behind all of them.
std::int64_t tightest_place(std::vector<Range>& taken, std::int64_t bytes) {
    std::ranges::sort(taken, {}, &Range::begin);
    std::int64_t end = 0;
    std::int64_t best = -1;
    std::int64_t best_gap = INT64_MAX;
    for (const Range& range : taken) {
        const std::int64_t gap = range.begin - end;
        if (gap >= bytes && gap < best_gap) {
            best = end;
            best_gap = gap;
        }
        end = std::max(end, range.end);
    }
    return best >= 0 ? best : end;
}

ArenaLayout place_largest_first(const std::vector<BufferLife>& buffers,
                                const std::vector<std::vector<std::uint32_t>>& neighbours) {
    std::vector<std::uint32_t> order = numbers_up_to(buffers.size());
    std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t i) { return buffers[i].bytes; });
    ArenaLayout layout;
    layout.offsets.assign(buffers.size(), -1);
    std::vector<Range> taken;
    for (const std::uint32_t i : order) {
        taken.clear();
        for (const std::uint32_t other : neighbours[i])
            if (layout.offsets[other] >= 0)
                taken.push_back({layout.offsets[other], layout.offsets[other] + rounded(buffers[other].bytes)});
        layout.offsets[i] = tightest_place(taken, rounded(buffers[i].bytes));
        layout.bytes = std::max(layout.bytes, layout.offsets[i] + rounded(buffers[i].bytes));
    }
    return layout;
}

class FreeRegions {
public:
    std::int64_t take(std::int64_t bytes) {
        const auto fit = m_by_size.lower_bound({bytes, 0});
        if (fit == m_by_size.end())
            return grow(bytes);
        const auto [size, begin] = *fit;
        remove(begin, size);
        if (size > bytes)
            insert(begin + bytes, size - bytes);
        return begin;
    }
    void give_back(std::int64_t begin, std::int64_t bytes) {
        auto next = m_by_place.lower_bound(begin);
        if (next != m_by_place.end() && next->first == begin + bytes) {
            bytes += next->second;
            remove(next->first, next->second);
        }
        next = m_by_place.lower_bound(begin);
        if (next != m_by_place.begin()) {
            const auto [before, size] = *std::prev(next);
            if (before + size == begin) {
                remove(before, size);
                begin = before;
                bytes += size;
            }
        }
        insert(begin, bytes);
    }
    std::int64_t end() const { return m_end; }

private:
    std::int64_t grow(std::int64_t bytes) {
        std::int64_t begin = m_end;
        if (!m_by_place.empty()) {
            const auto [place, size] = *m_by_place.rbegin();
            if (place + size == m_end) {
                begin = place;
                remove(place, size);
            }
        }
        m_end = begin + bytes;
        return begin;
    }
    void insert(std::int64_t begin, std::int64_t bytes) {
        m_by_place.emplace(begin, bytes);
        m_by_size.emplace(bytes, begin);
    }
    void remove(std::int64_t begin, std::int64_t bytes) {
        m_by_place.erase(begin);
        m_by_size.erase({bytes, begin});
    }

    std::map<std::int64_t, std::int64_t> m_by_place;
    std::set<std::pair<std::int64_t, std::int64_t>> m_by_size;
    std::int64_t m_end = 0;
};

ArenaLayout place_in_order(const std::vector<BufferLife>& buffers) {
    std::multimap<std::int32_t, std::uint32_t> alive; // by last step
    FreeRegions free;
    ArenaLayout layout;
    layout.offsets.assign(buffers.size(), 0);
    for (const std::uint32_t i : by_first_step(buffers)) {
        while (!alive.empty() && alive.begin()->first < buffers[i].first) {
            const std::uint32_t dead = alive.begin()->second;
            free.give_back(layout.offsets[dead], rounded(buffers[dead].bytes));
            alive.erase(alive.begin());
        }
        if (buffers[i].bytes == 0)
            continue;
        layout.offsets[i] = free.take(rounded(buffers[i].bytes));
        alive.emplace(buffers[i].last, i);
    }
    layout.bytes = free.end();
    return layout;
}

} // namespace

ArenaLayout lay_out(const std::vector<BufferLife>& buffers) {
    ArenaLayout best = place_in_order(buffers);
    if (const auto neighbours = neighbours_of(buffers, max_live_pairs))
        if (ArenaLayout other = place_largest_first(buffers, *neighbours); other.bytes <= best.bytes)
            best = std::move(other);
    best.bound = most_alive(buffers);
    return best;
}

std::optional<std::vector<std::vector<std::uint32_t>>> neighbours_of(const std::vector<BufferLife>& buffers,
                                                                     std::size_t most_pairs) {
    std::vector<std::vector<std::uint32_t>> neighbours(buffers.size());
    std::vector<std::uint32_t> alive;
    std::size_t pairs = 0;
    for (const std::uint32_t next : by_first_step(buffers)) {
        std::erase_if(alive, [&](std::uint32_t other) { return buffers[other].last < buffers[next].first; });
        pairs += alive.size();
        if (pairs > most_pairs)
            return std::nullopt;
        for (const std::uint32_t other : alive) {
            neighbours[other].push_back(next);
            neighbours[next].push_back(other);
        }
        alive.push_back(next);
    }
    return neighbours;
}

} // namespace hidet::graph
