// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/stage_text.h"

namespace hidet::ui {

namespace {

// Measured: about 1.5 ms here.
constexpr std::size_t small_links = 3'000;
constexpr std::size_t small_bytes = 40'000;

std::vector<HueRun> runsOf(std::string_view text, const session::LinkIndex& links) {
    std::vector<HueRun> runs;
    for (const session::Link& link : links.links()) {
        session::TextRange range = link.range;
        while (range.begin < range.end && text[range.begin] == ' ')
            ++range.begin; // indentation is nobody's
        if (range.begin == range.end)
            continue;
        const ByteRange here{static_cast<int>(range.begin), static_cast<int>(range.end)};
        if (!runs.empty() && runs.back().scriptLine == link.source.line &&
            isGap(text, runs.back().range.end, here.begin))
            runs.back().range.end = std::max(runs.back().range.end, here.end);
        else
            runs.push_back({here, link.source.line});
    }
    return runs;
}

} // namespace

bool isGap(std::string_view text, int from, int to) {
    return to >= from && to - from <= 4 &&
           text.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)).find('\n') == text.npos;
}

bool isFilterOn(const Settings& settings, const session::FilterInfo& filter) {
    return settings.extra(QString("filters/") + filter.id).toBool();
}

std::vector<session::Filter> filtersInUse(const Settings& settings, session::Form form) {
    std::vector<session::Filter> out;
    for (const session::FilterInfo& filter : session::all_filters())
        if (filter.form == form && isFilterOn(settings, filter))
            out.push_back(filter.filter);
    return out;
}

StageText prepared(const StageTextRequest& request) {
    StageText out;
    out.whole = request.text;
    out.filters = request.filters;
    out.text = request.text;
    if (!request.text)
        return out;
    if (request.form && !request.filters.empty())
        out.text =
            std::make_shared<session::TextSnapshot>(session::filtered(*request.text, *request.form, request.filters));
    out.links = std::make_shared<session::LinkIndex>(out.text, request.script);
    out.runs = runsOf(out.text->text, *out.links);
    if (request.before) {
        out.before = request.before;
        out.patch = std::make_shared<TextPatch>(out.before->text, out.text->text);
    }
    return out;
}

bool isSmall(const StageTextRequest& request) {
    return !request.text || (request.text->text.size() < small_bytes && request.text->tokens.size() < small_links);
}

} // namespace hidet::ui
