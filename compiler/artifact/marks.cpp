// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/marks.h"

#include <algorithm>
#include <map>

namespace hidet::artifact {

namespace {

constexpr std::uint64_t clock_mask = (std::uint64_t{1} << clock_bits) - 1;

// A row of words of one warp.
class MarkRow {
public:
    MarkRow(const MarkedBlock& marked, std::int64_t warp)
        : m_words(std::span(marked.words)
                      .subspan(static_cast<std::size_t>(warp * words_of_row), static_cast<std::size_t>(words_of_row))) {
    }

    bool was_written() const { return head(NextWord) >= WordsOfHead; }
    std::uint64_t head(MarkHead which) const { return m_words[static_cast<std::size_t>(which)]; }
    std::span<const std::uint64_t> times() const {
        const std::uint64_t end = std::min<std::uint64_t>(head(NextWord), m_words.size());
        return m_words.subspan(WordsOfHead, static_cast<std::size_t>(end) - WordsOfHead);
    }
    std::int64_t dropped() const {
        return static_cast<std::int64_t>(head(NextWord) - std::min<std::uint64_t>(head(NextWord), m_words.size()));
    }
    // Clocks count for longer than the bits that a time keeps of them.
    std::uint64_t clock_of(std::uint64_t word) const {
        return head(FirstClock) + ((word - head(FirstClock)) & clock_mask);
    }

private:
    std::span<const std::uint64_t> m_words;
};

} // namespace

std::optional<std::int64_t> block_number(const LaunchShape& shape, const BlockIndex& index) {
    const auto& [x, y, z] = index;
    const auto& grid = shape.grid;
    if (y == -1 && z == -1)
        return x >= 0 && x < shape.blocks() ? std::optional(x) : std::nullopt;
    if (x < 0 || y < 0 || z < 0 || x >= grid[0] || y >= grid[1] || z >= grid[2])
        return std::nullopt;
    return x + grid[0] * (y + grid[1] * z);
}

MarkedTimes marked_times(const MarkedBlock& marked, const MarkTable& table) {
    MarkedTimes out;
    if (marked.words.size() != static_cast<std::size_t>(words_of_marks))
        return out;
    const std::int64_t warps = std::min<std::int64_t>((marked.shape.threads() + 31) / 32, most_marked_warps);
    std::uint64_t first = UINT64_MAX, last = 0, first_timer = UINT64_MAX, last_timer = 0;
    for (std::int64_t w = 0; w < warps; ++w)
        if (const MarkRow row(marked, w); row.was_written()) {
            first = std::min(first, row.head(FirstClock)), last = std::max(last, row.head(LastClock));
            first_timer = std::min(first_timer, row.head(FirstTimer));
            last_timer = std::max(last_timer, row.head(LastTimer));
        }
    if (first > last)
        return out;
    out.cycles = last - first, out.nanoseconds = last_timer - std::min(first_timer, last_timer);
    for (std::int64_t w = 0; w < warps; ++w) {
        const MarkRow row(marked, w);
        if (!row.was_written())
            continue;
        ++out.warps;
        out.dropped += row.dropped();
        std::map<std::uint64_t, MarkedTime> begun; // by site
        for (const std::uint64_t word : row.times()) {
            const std::uint64_t code = word >> clock_bits, clock = row.clock_of(word) - first;
            const std::uint64_t site = code >> end_bits & static_cast<std::uint64_t>(most_sites - 1);
            const auto index = static_cast<std::int64_t>(code >> (end_bits + site_bits));
            const bool is_end = (code & 1) != 0;
            if (site >= table.size())
                continue;
            if (!is_end) {
                begun[site] = {static_cast<int>(w), static_cast<std::uint32_t>(site), clock, clock,
                               index == unknown_index ? -1 : static_cast<int>(index)};
            } else if (const auto begin = begun.find(site); begin != begun.end()) {
                begin->second.end = clock;
                out.times.push_back(begin->second);
                begun.erase(begin);
            }
        }
    }
    std::ranges::stable_sort(out.times, [](const MarkedTime& a, const MarkedTime& b) {
        return std::pair(a.warp, a.begin) < std::pair(b.warp, b.begin);
    });
    return out;
}

} // namespace hidet::artifact
