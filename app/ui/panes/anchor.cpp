// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/anchor.h"

#include <algorithm>
#include <cstdlib>

namespace hidet::ui {

namespace {

constexpr int lines_to_look = 200; // the prelude of CUDA text has no links
constexpr int lines_to_drift = 20; // of the script

bool begins(const session::Place& a, const session::Place& b) {
    return a.line == b.line && a.column == b.column && a.file == b.file;
}

} // namespace

std::optional<Anchor> anchorAt(const session::LinkIndex& links, const session::LineTable& lines, int line) {
    if (line + 1 > lines.count())
        return {};
    const std::vector<session::Link>& all = links.links();
    const std::uint32_t begin = lines.range(line + 1).begin;
    const auto found = std::lower_bound(all.begin(), all.end(), begin, [](const session::Link& link, std::uint32_t at) {
        return link.range.begin < at;
    });
    if (found == all.end())
        return {};
    Anchor anchor;
    anchor.place = found->source;
    anchor.below = lines.line_of(found->range.begin) - 1 - line;
    if (anchor.below > lines_to_look)
        return {};
    for (auto link = all.begin(); link != found; ++link)
        anchor.ordinal += begins(link->source, anchor.place);
    return anchor;
}

std::optional<int> lineOf(const Anchor& anchor, const session::LinkIndex& links, const session::LineTable& lines) {
    const session::Link* best = nullptr;
    int ordinal = 0, distance = lines_to_drift;
    for (const session::Link& link : links.links()) {
        if (begins(link.source, anchor.place)) {
            if (ordinal <= anchor.ordinal)
                best = &link;
            distance = 0;
            ++ordinal;
        } else if (const int away = 1 + std::abs(link.source.line - anchor.place.line); away < distance) {
            best = &link;
            distance = away;
        }
    }
    if (!best)
        return {};
    return std::max(0, lines.line_of(best->range.begin) - 1 - anchor.below);
}

} // namespace hidet::ui
