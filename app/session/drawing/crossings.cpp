// SPDX-License-Identifier: Apache-2.0
#include "app/session/drawing/crossings.h"

#include <algorithm>

namespace hidet::drawing {

namespace {
constexpr std::size_t kFew = 24; // lines that are compared pair by pair
}

std::uint64_t CrossingCounter::below(std::uint32_t layer) {
    if (layer + 1 >= m_layers.order.size())
        return 0;
    std::uint32_t slots = 0;
    for (std::uint32_t vertex : m_layers.order[layer + 1]) {
        Length last = 0;
        bool is_first = true;
        for (std::uint32_t segment : m_layers.above(vertex)) {
            const Length at = m_layers.segments[segment].lower_at;
            slots += is_first || at != last;
            m_slots[segment] = slots - 1;
            last = at;
            is_first = false;
        }
    }
    m_lines.clear();
    std::uint32_t uppers = 0;
    for (std::uint32_t vertex : m_layers.order[layer]) {
        Length last = 0;
        bool is_first = true;
        for (std::uint32_t segment : m_layers.below(vertex)) {
            const Segment& s = m_layers.segments[segment];
            uppers += is_first || s.upper_at != last;
            m_lines.push_back({uppers - 1, m_slots[segment], s.edges});
            last = s.upper_at;
            is_first = false;
        }
    }
    return m_lines.size() <= kFew ? few() : many(slots);
}

std::uint64_t CrossingCounter::few() {
    std::uint64_t count = 0;
    for (std::size_t b = 1; b < m_lines.size(); ++b)
        for (std::size_t a = 0; a < b; ++a)
            if (m_lines[a].slot > m_lines[b].slot && m_lines[a].upper != m_lines[b].upper)
                count += m_lines[a].edges * m_lines[b].edges;
    return count;
}

// Lines from left to right by their upper ends; a tree of sums over slots says how many that came before end further right.
std::uint64_t CrossingCounter::many(std::uint32_t slots) {
    m_sums.assign(slots + 1, 0);
    std::uint64_t count = 0, total = 0;
    for (std::size_t i = 0; i < m_lines.size();) {
        std::size_t last = i;
        for (; last < m_lines.size() && m_lines[last].upper == m_lines[i].upper; ++last) {
            std::uint64_t left = 0;
            for (std::uint32_t k = m_lines[last].slot + 1; k > 0; k &= k - 1)
                left += m_sums[k];
            count += (total - left) * m_lines[last].edges;
        }
        for (; i < last; ++i) {
            total += m_lines[i].edges;
            for (std::uint32_t k = m_lines[i].slot + 1; k <= slots; k += k & (~k + 1))
                m_sums[k] += m_lines[i].edges;
        }
    }
    return count;
}

std::uint64_t CrossingCounter::all() {
    std::uint64_t count = 0;
    for (std::uint32_t layer = 0; layer + 1 < m_layers.order.size(); ++layer)
        count += below(layer);
    return count;
}

std::uint64_t CrossingCounter::inverted(std::vector<End>& left, std::vector<End>& right) {
    std::uint64_t count = 0;
    if (left.size() * right.size() <= 2 * kFew) {
        for (const End& a : left)
            for (const End& b : right)
                count += b < a ? a.edges * b.edges : 0;
        return count;
    }
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    std::uint64_t before = 0;
    std::size_t next = 0;
    for (const End& a : left) {
        for (; next < right.size() && right[next] < a; ++next)
            before += right[next].edges;
        count += before * a.edges;
    }
    return count;
}

std::uint64_t CrossingCounter::between(std::uint32_t left, std::uint32_t right) {
    const auto collect = [this](std::uint32_t vertex, bool is_below, std::vector<End>& into) {
        into.clear();
        for (std::uint32_t segment : is_below ? m_layers.below(vertex) : m_layers.above(vertex)) {
            const Segment& s = m_layers.segments[segment];
            if (is_below)
                into.push_back({m_layers.position[s.lower], s.lower_at, s.edges});
            else
                into.push_back({m_layers.position[s.upper], s.upper_at, s.edges});
        }
    };
    collect(left, true, m_left);
    collect(right, true, m_right);
    std::uint64_t count = inverted(m_left, m_right);
    collect(left, false, m_left);
    collect(right, false, m_right);
    return count + inverted(m_left, m_right);
}

} // namespace hidet::drawing
