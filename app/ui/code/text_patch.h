// SPDX-License-Identifier: GPL-3.0-only
// How to get from one text to another by replacing few lines, so that what is shown of the others stays as it is.
#pragma once

#include <string_view>
#include <vector>

namespace hidet::ui {

// Lines [begin, end) of the old text become lines [newBegin, newEnd) of the new one; 0-based.
struct LineHunk {
    int begin = 0;
    int end = 0;
    int newBegin = 0;
    int newEnd = 0;
};

class TextPatch {
public:
    // Both texts are referred to.
    TextPatch(std::string_view before, std::string_view after);

    const std::vector<LineHunk>& hunks() const { return m_hunks; } // ascending, none touches the next
    // Where a line of the old text stands in the new one; -1: it was replaced.
    int mapped(int line) const;
    // The same, or of a line that was replaced the first of those that stand in its place.
    int nearest(int line) const;

    struct Replacement {
        std::size_t begin = 0; // bytes of the old text
        std::size_t end = 0;
        std::string_view text;
    };
    std::vector<Replacement> replacements() const; // ascending; one where there would be very many

private:
    std::vector<std::string_view> m_before, m_after; // lines with their ends
    std::vector<LineHunk> m_hunks;
};

} // namespace hidet::ui
