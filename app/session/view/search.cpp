// SPDX-License-Identifier: Apache-2.0
#include "app/session/view/search.h"

#include <algorithm>

#include "lang/base/ascii.h"

namespace hidet::session {

namespace {

char folded(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string folded(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return folded(c); });
    return out;
}

// Only an end of the query that is a letter asks for a boundary: "+=" is a whole word wherever it stands.
bool is_whole(std::string_view line, std::size_t begin, std::size_t end) {
    bool left = begin == 0 || !is_name_byte(line[begin - 1]) || !is_name_byte(line[begin]);
    bool right = end == line.size() || !is_name_byte(line[end]) || !is_name_byte(line[end - 1]);
    return left && right;
}

bool is_cancelled(const SearchQuery& query) {
    return query.cancelled && query.cancelled->load(std::memory_order_relaxed);
}

} // namespace

Matcher plain_matcher(const SearchQuery& query) {
    std::string wanted = query.match_case ? query.text : folded(query.text);
    return [wanted, match_case = query.match_case, whole_word = query.whole_word](std::string_view line) {
        std::vector<TextRange> out;
        if (wanted.empty())
            return out;
        std::string lower = match_case ? std::string() : folded(line);
        std::string_view text = match_case ? line : std::string_view(lower);
        for (std::size_t at = 0; (at = text.find(wanted, at)) != std::string_view::npos;) {
            std::size_t end = at + wanted.size();
            if (whole_word && !is_whole(text, at, end)) {
                ++at;
                continue;
            }
            out.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)});
            at = end;
        }
        return out;
    };
}

SearchResult search_stages(const std::vector<SearchText>& texts, const SearchQuery& query) {
    SearchResult result;
    Matcher matcher = query.matcher ? query.matcher : plain_matcher(query);
    for (std::size_t source = 0; source < texts.size(); ++source) {
        if (!texts[source].text)
            continue;
        const TextSnapshot& text = *texts[source].text;
        LineTable lines(text.text);
        for (int line = 1; line <= lines.count(); ++line) {
            if (is_cancelled(query))
                return result;
            for (const TextRange& range : matcher(lines.text(line))) {
                if (result.hits.size() == query.limit) {
                    result.cut = true;
                    return result;
                }
                auto index = static_cast<std::size_t>(line - 1);
                result.hits.push_back({source, texts[source].stage, line, range, std::string(lines.text(line)),
                                       index < text.lines.size() ? text.lines[index].place : Place{}});
            }
        }
    }
    return result;
}

} // namespace hidet::session
