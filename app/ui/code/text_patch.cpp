// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/code/text_patch.h"

#include <algorithm>

#include "app/session/view/diff.h"

namespace hidet::ui {

namespace {

// Below this many lines a comparison saves nothing; above the other, it takes longer than putting in the whole text.
constexpr int few_lines = 8;
constexpr int many_lines = 6'000;
// Each costs as much as many lines do.
constexpr std::size_t most_replacements = 16;

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::size_t size = end == text.npos ? text.size() : end + 1;
        lines.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return lines;
}

std::string_view joined(const std::vector<std::string_view>& lines, int begin, int end) {
    if (begin >= end)
        return {};
    const char* first = lines[static_cast<std::size_t>(begin)].data();
    const std::string_view last = lines[static_cast<std::size_t>(end - 1)];
    return {first, static_cast<std::size_t>(last.data() + last.size() - first)};
}

std::vector<LineHunk> compared(std::string_view before, std::string_view after, LineHunk all) {
    std::vector<LineHunk> hunks;
    const auto changes = session::diff(before, after, {.words = false});
    int left = all.begin, right = all.newBegin;
    for (const session::DiffRow& row : changes->rows) {
        const bool equal = row.kind == session::RowKind::Equal;
        if (!equal && (hunks.empty() || hunks.back().end != left || hunks.back().newEnd != right))
            hunks.push_back({left, left, right, right});
        left += row.left > 0;
        right += row.right > 0;
        if (!equal)
            hunks.back().end = left, hunks.back().newEnd = right;
    }
    return hunks;
}

} // namespace

TextPatch::TextPatch(std::string_view before, std::string_view after)
    : m_before(linesOf(before)), m_after(linesOf(after)) {
    LineHunk all{0, static_cast<int>(m_before.size()), 0, static_cast<int>(m_after.size())};
    auto old = [&](int line) { return m_before[static_cast<std::size_t>(line)]; };
    auto now = [&](int line) { return m_after[static_cast<std::size_t>(line)]; };
    while (all.begin < all.end && all.newBegin < all.newEnd && old(all.begin) == now(all.newBegin))
        ++all.begin, ++all.newBegin;
    while (all.begin < all.end && all.newBegin < all.newEnd && old(all.end - 1) == now(all.newEnd - 1))
        --all.end, --all.newEnd;
    const int removed = all.end - all.begin, added = all.newEnd - all.newBegin;
    if (removed == 0 && added == 0)
        return;
    const bool worth = std::min(removed, added) > few_lines && std::max(removed, added) < many_lines;
    if (worth)
        m_hunks = compared(joined(m_before, all.begin, all.end), joined(m_after, all.newBegin, all.newEnd), all);
    else
        m_hunks = {all};
}

int TextPatch::mapped(int line) const {
    int shift = 0;
    for (const LineHunk& hunk : m_hunks) {
        if (line < hunk.begin)
            break;
        if (line < hunk.end)
            return -1;
        shift = hunk.newEnd - hunk.end;
    }
    return line + shift;
}

int TextPatch::nearest(int line) const {
    for (const LineHunk& hunk : m_hunks)
        if (hunk.begin <= line && line < hunk.end)
            return std::max(hunk.newBegin, std::min(hunk.newBegin + line - hunk.begin, hunk.newEnd - 1));
    return mapped(line);
}

std::vector<TextPatch::Replacement> TextPatch::replacements() const {
    std::vector<Replacement> out;
    if (m_hunks.empty())
        return out;
    const LineHunk all{m_hunks.front().begin, m_hunks.back().end, m_hunks.front().newBegin, m_hunks.back().newEnd};
    const std::vector<LineHunk> hunks = m_hunks.size() > most_replacements ? std::vector{all} : m_hunks;
    std::size_t offset = 0;
    int line = 0;
    auto advance = [&](int to) {
        for (; line < to; ++line)
            offset += m_before[static_cast<std::size_t>(line)].size();
        return offset;
    };
    for (const LineHunk& hunk : hunks) {
        const std::size_t begin = advance(hunk.begin);
        out.push_back({begin, advance(hunk.end), joined(m_after, hunk.newBegin, hunk.newEnd)});
    }
    return out;
}

} // namespace hidet::ui
