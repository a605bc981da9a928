// SPDX-License-Identifier: Apache-2.0
#include "app/session/preview/bracket_text.h"

#include <algorithm>
#include <cctype>

#include "lang/base/text.h"

namespace hidet::session {

namespace {

int depth_of(char c) {
    return c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
}

// Behind a string or a comment that begins here; the offset itself where none does.
std::size_t behind_quiet(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (c == '#')
        return std::min(text.find('\n', at), text.size());
    if (c != '\'' && c != '"')
        return at;
    for (std::size_t end = at + 1; end < text.size() && text[end] != '\n'; ++end) {
        if (text[end] == c)
            return end + 1;
        end += text[end] == '\\';
    }
    return at;
}

} // namespace

std::vector<std::string_view> parts_of(std::string_view list) {
    std::vector<std::string_view> out;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t at = 0; at <= list.size(); ++at) {
        if (at < list.size() && !(list[at] == ',' && depth == 0)) {
            depth += depth_of(list[at]);
            const std::size_t behind = behind_quiet(list, at);
            at = behind > at ? behind - 1 : at;
            continue;
        }
        if (const std::string_view part = trimmed(list.substr(begin, at - begin)); !part.empty())
            out.push_back(part);
        begin = at + 1;
    }
    return out;
}

std::optional<BracketText> bracket_at(std::string_view text, std::size_t open) {
    if (open >= text.size() || depth_of(text[open]) <= 0)
        return {};
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        depth += depth_of(text[at]);
        if (depth == 0)
            return BracketText{open, at, parts_of(text.substr(open + 1, at - open - 1))};
        const std::size_t behind = behind_quiet(text, at);
        at = behind > at ? behind - 1 : at;
    }
    return {};
}

std::optional<BracketText> bracket_around(std::string_view text, std::size_t offset) {
    int depth = 0;
    for (std::size_t at = std::min(offset, text.size()); at > 0; --at) {
        depth += depth_of(text[at - 1]);
        if (depth > 0)
            return bracket_at(text, at - 1);
    }
    return {};
}

std::string joined_parts(const std::vector<std::string_view>& parts) {
    std::string out;
    for (const std::string_view part : parts)
        out += cat(out.empty() ? "" : ", ", part);
    return out;
}

std::size_t offset_in(std::string_view text, std::string_view part) {
    return static_cast<std::size_t>(part.data() - text.data());
}

bool is_word_letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::size_t begin_of_word(std::string_view text, std::size_t end) {
    const std::size_t wanted = end;
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t'))
        --end;
    std::size_t begin = end;
    while (begin > 0 && is_word_letter(text[begin - 1]))
        --begin;
    return begin == end ? wanted : begin;
}

} // namespace hidet::session
