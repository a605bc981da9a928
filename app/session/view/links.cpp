// SPDX-License-Identifier: Apache-2.0
#include "app/session/view/links.h"

#include <algorithm>
#include <tuple>

#include "lang/base/ranges.h"

namespace hidet::session {

namespace {

using LineColumn = std::pair<int, int>; // line, column

LineColumn begin_of(const Place& place) {
    return {place.line, place.column};
}
LineColumn end_of(const Place& place) {
    return {place.end_line, place.end_column};
}

// Touching counts: a caret behind a word means the word.
bool touch(const Place& a, const Place& b) {
    return begin_of(a) <= end_of(b) && begin_of(b) <= end_of(a);
}

// Which of two sources is narrower, by lines, then by columns of the last line.
std::pair<int, int> width(const Place& place) {
    return {place.end_line - place.line, place.line == place.end_line ? place.end_column - place.column : 0};
}

bool overlap(const Place& a, const Place& b) {
    return begin_of(a) < end_of(b) && begin_of(b) < end_of(a);
}

std::vector<TextRange> merged(std::vector<TextRange> ranges) {
    std::sort(ranges.begin(), ranges.end(), [](const TextRange& a, const TextRange& b) {
        return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    std::vector<TextRange> out;
    for (const TextRange& range : ranges)
        if (!out.empty() && range.begin <= out.back().end)
            out.back().end = std::max(out.back().end, range.end);
        else
            out.push_back(range);
    return out;
}

} // namespace

struct LinkIndex::Data {
    explicit Data(std::shared_ptr<const TextSnapshot> given) : text(std::move(given)), table(text->text) {}

    std::shared_ptr<const TextSnapshot> text;
    LineTable table;
    std::vector<Link> links;
    std::vector<std::size_t> by_source; // indices of links, by where their source begins
    int tallest = 0;                    // lines that a source goes on for, at most
    bool has_tokens = false;

    void add(TextRange range, const Place& source, const std::string& pass, const std::string& file) {
        if (source.known() && source.file == file && range.begin < range.end)
            links.push_back({range, source, pass});
    }

    void sort() {
        for (std::size_t i = 0; i < links.size(); ++i) {
            by_source.push_back(i);
            tallest = std::max(tallest, links[i].source.end_line - links[i].source.line);
        }
        std::stable_sort(by_source.begin(), by_source.end(), [&](std::size_t a, std::size_t b) {
            return begin_of(links[a].source) < begin_of(links[b].source);
        });
    }

    // Calls f with every link whose source begins in these lines.
    template <class F>
    void for_lines(int first, int last, F&& f) const {
        auto at = std::lower_bound(by_source.begin(), by_source.end(), first,
                                   [&](std::size_t i, int line) { return links[i].source.line < line; });
        for (; at != by_source.end() && links[*at].source.line <= last; ++at)
            f(links[*at]);
    }
};

LinkIndex::LinkIndex(std::shared_ptr<const TextSnapshot> text, std::string file)
    : m_data(std::make_unique<Data>(std::move(text))) {
    Data& data = *m_data;
    data.has_tokens = !data.text->tokens.empty();
    for (const TokenView& token : data.text->tokens)
        data.add({token.begin, token.end}, token.origin.place, token.origin.pass, file);
    if (!data.has_tokens) {
        for (std::size_t i = 0; i < data.text->lines.size(); ++i)
            data.add(data.table.range(static_cast<int>(i) + 1), data.text->lines[i].place, data.text->lines[i].pass,
                     file);
    }
    data.sort();
}

LinkIndex::~LinkIndex() = default;
LinkIndex::LinkIndex(LinkIndex&&) noexcept = default;

std::string_view LinkIndex::text() const {
    return m_data->text->text;
}
const LineTable& LinkIndex::lines() const {
    return m_data->table;
}
const std::vector<Link>& LinkIndex::links() const {
    return m_data->links;
}

std::vector<TextRange> LinkIndex::targets(const Place& script) const {
    const bool is_caret = begin_of(script) == end_of(script);
    std::vector<const Link*> found;
    m_data->for_lines(script.line - m_data->tallest, script.end_line, [&](const Link& link) {
        if (is_caret ? touch(link.source, script) : overlap(link.source, script))
            found.push_back(&link);
    });
    if (is_caret) { // the narrowest only
        auto narrowest = std::min_element(found.begin(), found.end(), [](const Link* a, const Link* b) {
            return width(a->source) < width(b->source);
        });
        if (narrowest != found.end()) {
            auto least = width((*narrowest)->source);
            std::erase_if(found, [&](const Link* link) { return width(link->source) > least; });
        }
    }
    return merged(transformed(found, &Link::range));
}

std::vector<TextRange> LinkIndex::targets_of_line(int line) const {
    std::vector<TextRange> ranges;
    m_data->for_lines(line, line, [&](const Link& link) { ranges.push_back(link.range); });
    return merged(std::move(ranges));
}

const Link* LinkIndex::source_of(std::uint32_t offset) const {
    const std::vector<Link>& links = m_data->links;
    auto after = std::upper_bound(links.begin(), links.end(), offset,
                                  [](std::uint32_t at, const Link& link) { return at < link.range.begin; });
    if (after == links.begin())
        return nullptr;
    const Link& link = *(after - 1);
    // A line is linked up to its end, where a caret can stand.
    bool inside = m_data->has_tokens ? offset < link.range.end : offset <= link.range.end;
    return inside ? &link : nullptr;
}

} // namespace hidet::session
