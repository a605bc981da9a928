// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/timeline_text.h"

#include <algorithm>

#include "app/cli/text/script_lines.h"
#include "app/session/view/timeline_rows.h"
#include "lang/base/columns.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::cli {

using namespace session;

namespace {

constexpr int most_columns = 100;
constexpr double least_share = 0.35; // of a column that an instruction that only begins something takes

char sign_of(const std::string& kind) {
    return kind == "copy" ? '>' : kind == "wait" ? '.' : kind == "compute" ? '=' : '<';
}

// What a warp does for the most part of each column.
std::string row_of(const TimelineView& timeline, int warp, int columns) {
    const double width = static_cast<double>(timeline.steps) / columns;
    std::vector<std::array<double, 4>> shares(static_cast<std::size_t>(columns));
    static constexpr std::string_view signs = "=.><";
    std::int64_t last = 0;
    for (const TimelineSpan& span : timeline.spans) {
        if (span.warp != warp)
            continue;
        last = std::max(last, span.end);
        const std::size_t sign = signs.find(sign_of(span.kind));
        const int first = std::min(static_cast<int>(static_cast<double>(span.begin) / width), columns - 1);
        for (int c = first; c < columns && c * width < static_cast<double>(std::max(span.end, span.begin + 1)); ++c) {
            double share = std::min((c + 1) * width, static_cast<double>(span.end)) -
                           std::max(c * width, static_cast<double>(span.begin));
            if (sign >= 2)
                share = std::max(share, least_share * width);
            shares[static_cast<std::size_t>(c)][sign] += share;
        }
    }
    std::string out;
    for (int c = 0; c < columns; ++c) {
        const auto& share = shares[static_cast<std::size_t>(c)];
        const auto most = std::ranges::max_element(share);
        out += *most >= 0.25 * width                   ? signs[static_cast<std::size_t>(most - share.begin())]
               : c * width < static_cast<double>(last) ? '-'
                                                       : ' ';
    }
    return out;
}

// A stage: copies under way to it, and what is there until the next ones.
std::string row_of_slot(const TimelineView& timeline, int slot, int columns) {
    const double width = static_cast<double>(timeline.steps) / columns;
    std::string out(static_cast<std::size_t>(columns), ' ');
    const auto fill = [&](std::int64_t begin, std::int64_t end, char sign) {
        for (int c = 0; c < columns; ++c)
            if ((c + 0.5) * width >= static_cast<double>(begin) && (c + 0.5) * width < static_cast<double>(end))
                out[static_cast<std::size_t>(c)] = sign;
    };
    std::vector<const TimelineSpan*> copies;
    for (const TimelineSpan& span : timeline.spans)
        if (span.slot == slot)
            copies.push_back(&span);
    std::ranges::stable_sort(copies, {}, &TimelineSpan::begin);
    for (const TimelineSpan* copy : copies)
        fill(copy->landed, timeline.steps, '#');
    for (const TimelineSpan* copy : copies)
        fill(copy->begin, copy->landed, '~');
    return out;
}

std::string warps_name(int first, int last) {
    return first == last ? cat("warp ", first) : cat("warps ", first, "-", last);
}

std::string timeline_text(const TimelineView& timeline, const Source& script) {
    const int columns = static_cast<int>(std::clamp<std::int64_t>(timeline.steps, 1, most_columns));
    std::string out =
        cat("kernel '", timeline.kernel, "', ", block_text(timeline), ": ", times_of(timeline, timeline.steps), ", ",
            timeline.source, "; a column is ", three_digits(static_cast<double>(timeline.steps) / columns), "\n  ",
            clock_text(timeline), "\n  > begins copies, = computes, < stores, . waits, - other instructions",
            timeline.stages == 0 ? ""
            : timeline.marked ? "; below: ~ from the issue of copies to the end of the first wait for them, # behind it"
                              : "; below: ~ copies are under way, # they have arrived",
            "\n");
    if (timeline.spans.empty())
        return out + "  its warps did nothing that is timed\n";
    std::vector<Cells> rows;
    for (const TimelineRole& role : timeline.roles)
        for (std::size_t i = 0; i < role.warps.size();) {
            const std::string row = row_of(timeline, role.warps[i], columns);
            std::size_t end = i + 1;
            while (end < role.warps.size() && role.warps[end] == role.warps[end - 1] + 1 &&
                   row_of(timeline, role.warps[end], columns) == row)
                ++end;
            rows.push_back({{warps_name(role.warps[i], role.warps[end - 1])}, {role.name}, {cat("|", row, "|")}});
            i = end;
        }
    for (int slot = 0; slot < timeline.stages; ++slot)
        rows.push_back({{slot_name(timeline, slot)}, {""}, {cat("|", row_of_slot(timeline, slot, columns), "|")}});
    out += columns_text(rows);
    if (timeline.dropped)
        out += cat("  there is more: ", timeline.dropped, " marks found no place\n");
    else if (timeline.is_cut_short)
        out += "  there is more, which is left out\n";
    rows = {{{"line", Align::Right},
             {"who waits"},
             {"times", Align::Right},
             {cat(timeline.unit, "s a warp"), Align::Right},
             {"of all", Align::Right},
             {"for what"}}};
    for (const TimelineBubble& bubble : timeline.bubbles)
        rows.push_back(
            {{place_text(script, bubble.place), Align::Right},
             {cat("those that ", bubble.role)},
             {cat(bubble.times), Align::Right},
             {cat(bubble.steps / bubble.warps), Align::Right},
             {percent_text(bubble.share), Align::Right},
             {cat(bubble.reason,
                  bubble.by_copy && bubble.by_place.known() ? cat(" (line ", bubble.by_place.line, ")") : "")}});
    return timeline.bubbles.empty() ? out + "  nobody waits\n" : out + columns_text(rows);
}

} // namespace

std::string timelines_text(const std::vector<TimelineView>& timelines, const Source& script) {
    std::vector<std::string> texts;
    for (const TimelineView& timeline : timelines)
        texts.push_back(timeline_text(timeline, script));
    return join(texts, "\n");
}

} // namespace hidet::cli
