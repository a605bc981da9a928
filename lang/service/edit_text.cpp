// SPDX-License-Identifier: Apache-2.0
#include "lang/service/edit_text.h"

#include <algorithm>
#include <optional>

#include "lang/base/ascii.h"
#include "lang/base/text.h"
#include "lang/service/text_walk.h"

namespace hidet::lang::service {

namespace {

bool is_one_of(std::string_view word, const std::vector<std::string_view>& words) {
    return std::ranges::find(words, word) != words.end();
}

std::string_view word_at(std::string_view text, std::uint32_t at) {
    std::uint32_t end = at;
    while (end < text.size() && is_name_byte(text[end]))
        ++end;
    return text.substr(at, end - at);
}

std::string deeper(std::string_view indent, const IndentStyle& style) {
    if (style.tabs || indent.find('\t') != std::string_view::npos)
        return std::string(indent) + "\t";
    return std::string(indent) + std::string(static_cast<std::size_t>(std::max(1, style.width)), ' ');
}

std::string shallower(std::string_view indent, const IndentStyle& style) {
    if (!indent.empty() && indent.back() == '\t')
        return std::string(indent.substr(0, indent.size() - 1));
    std::size_t width = std::min(indent.size(), static_cast<std::size_t>(std::max(1, style.width)));
    std::size_t blanks = 0;
    while (blanks < width && indent[indent.size() - 1 - blanks] == ' ')
        ++blanks;
    return std::string(indent.substr(0, indent.size() - blanks));
}

// What stands before an offset, as far as the indentation of the next line depends on it.
struct Before {
    std::uint32_t logical_start = 0; // of the statement's first line
    std::vector<std::uint32_t> open; // brackets
    std::optional<std::uint32_t> last_code;
    bool in_string = false; // of several lines
    bool joined = false;    // the line before ends with a backslash
};

Before read_before(std::string_view text, std::uint32_t offset) {
    Before out;
    TextWalk walk(text.substr(0, offset));
    for (Piece piece = walk.next(); piece.kind != Piece::Kind::End; piece = walk.next()) {
        char c = text[piece.begin];
        switch (piece.kind) {
        case Piece::Kind::LineEnd:
            if (out.open.empty()) {
                out.logical_start = piece.end;
                out.last_code.reset();
                out.joined = false;
            }
            break;
        case Piece::Kind::JoinedLine: out.joined = true; break;
        case Piece::Kind::String:
            out.in_string = piece.is_triple && !piece.closed;
            out.last_code = piece.begin;
            break;
        case Piece::Kind::Character:
            if (is_blank(c))
                break;
            out.last_code = piece.begin;
            if (c == '(' || c == '[' || c == '{')
                out.open.push_back(piece.begin);
            else if ((c == ')' || c == ']' || c == '}') && !out.open.empty())
                out.open.pop_back();
            break;
        default: break;
        }
    }
    return out;
}

std::string indent_in_bracket(std::string_view text, std::uint32_t offset, std::uint32_t bracket,
                              const IndentStyle& style) {
    std::uint32_t line = start_of_line(text, bracket);
    std::uint32_t first = bracket + 1;
    while (first < offset && is_blank(text[first]))
        ++first;
    if (first >= offset || is_line_end(text[first]) || text[first] == '#')
        return deeper(blanks_at(text, line), style);
    std::string out;
    for (std::uint32_t at = line; at < first; ++at) { // as wide as what stands before
        bool inner = (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
        if (!inner)
            out += text[at] == '\t' ? '\t' : ' ';
    }
    return out;
}

} // namespace

std::string indent_of_new_line(std::string_view text, std::uint32_t offset, IndentStyle style) {
    offset = clamp_offset(text, offset);
    Before before = read_before(text, offset);
    std::uint32_t line = start_of_line(text, offset);
    std::string_view own = blanks_at(text, line);
    if (line + own.size() >= offset && before.open.empty()) // in the blanks that the line begins with
        return std::string(own.substr(0, offset - line));
    if (before.in_string)
        return std::string(own);
    if (!before.open.empty())
        return indent_in_bracket(text, offset, before.open.back(), style);
    std::uint32_t last = offset;
    while (last > line && is_blank(text[last - 1]))
        --last;
    if (last > line && text[last - 1] == '\\')
        return before.joined ? std::string(own) : deeper(own, style);
    std::string_view indent = blanks_at(text, before.logical_start);
    if (!before.last_code)
        return std::string(own); // a comment
    if (text[*before.last_code] == ':')
        return deeper(indent, style);
    std::string_view first = word_at(text, before.logical_start + static_cast<std::uint32_t>(indent.size()));
    if (is_one_of(first, {"return", "break", "continue", "pass", "raise"}))
        return shallower(indent, style);
    return std::string(indent);
}

std::string indent_of_clause(std::string_view text, std::uint32_t offset) {
    std::uint32_t line = start_of_line(text, clamp_offset(text, offset));
    std::string_view own = blanks_at(text, line);
    std::string_view word = word_at(text, line + static_cast<std::uint32_t>(own.size()));
    std::vector<std::string_view> partners;
    if (word == "else")
        partners = {"if", "elif", "for", "while", "try", "except"};
    else if (word == "elif")
        partners = {"if", "elif"};
    else if (word == "except")
        partners = {"try", "except"};
    else if (word == "finally")
        partners = {"try", "except", "else"};
    else
        return std::string(own);
    std::size_t limit = own.size(); // what is deeper cannot be the partner
    while (line > 0) {
        line = start_of_line(text, line - 1);
        std::string_view indent = blanks_at(text, line);
        std::uint32_t first = line + static_cast<std::uint32_t>(indent.size());
        bool empty = first >= text.size() || is_line_end(text[first]) || text[first] == '#';
        if (empty || indent.size() > limit)
            continue;
        if (is_one_of(word_at(text, first), partners))
            return std::string(indent);
        if (indent.empty())
            break;
        limit = indent.size() - 1;
    }
    return std::string(own);
}

std::vector<Edit> toggle_comment(std::string_view text, Range lines, std::string_view mark) {
    struct Line {
        std::uint32_t code; // its first character that is no blank
        std::size_t indent;
    };
    std::vector<Line> found;
    std::uint32_t begin = start_of_line(text, lines.begin);
    std::uint32_t end = std::max(begin, clamp_offset(text, lines.end));
    if (end > begin && end > lines.begin && is_line_end(text[end - 1]))
        --end; // the line behind is not selected
    bool one_line = end_of_line(text, begin) >= end;
    for (std::uint32_t line = begin; line <= end;) {
        std::string_view indent = blanks_at(text, line);
        auto code = line + static_cast<std::uint32_t>(indent.size());
        bool blank = code >= text.size() || is_line_end(text[code]);
        if (!blank || one_line)
            found.push_back({code, indent.size()});
        std::uint32_t next = end_of_line(text, line);
        if (next >= text.size())
            break;
        line = next + (text[next] == '\r' && next + 1 < text.size() && text[next + 1] == '\n' ? 2 : 1);
    }
    auto is_comment = [&](const Line& line) {
        return line.code < text.size() && text.substr(line.code).starts_with(mark);
    };
    std::vector<Edit> edits;
    if (!found.empty() && std::ranges::all_of(found, is_comment)) {
        for (const Line& line : found) {
            const auto behind = line.code + static_cast<std::uint32_t>(mark.size());
            const bool has_blank = behind < text.size() && text[behind] == ' ';
            edits.push_back({{line.code, behind + (has_blank ? 1u : 0u)}, ""});
        }
        return edits;
    }
    std::size_t indent = static_cast<std::size_t>(-1);
    for (const Line& line : found)
        indent = std::min(indent, line.indent);
    for (const Line& line : found) {
        std::uint32_t at = line.code - static_cast<std::uint32_t>(line.indent - indent);
        edits.push_back({{at, at}, cat(mark, " ")});
    }
    return edits;
}

BracketPair matching_bracket(std::string_view text, std::uint32_t offset) {
    auto is_at = [&](std::uint32_t place) { return place == offset || place + 1 == offset; };
    std::vector<std::uint32_t> open;
    BracketPair found; // the one at the offset is preferred to the one before it
    auto take = [&](std::uint32_t at, Range partner) {
        if (found.at.empty() || at == offset)
            found = {{at, at + 1}, partner};
    };
    TextWalk walk(text);
    for (Piece piece = walk.next(); piece.kind != Piece::Kind::End; piece = walk.next()) {
        if (piece.kind != Piece::Kind::Character)
            continue;
        char c = text[piece.begin];
        if (c == '(' || c == '[' || c == '{') {
            open.push_back(piece.begin);
        } else if (c == ')' || c == ']' || c == '}') {
            char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
            bool fits = !open.empty() && text[open.back()] == wanted;
            if (is_at(piece.begin))
                take(piece.begin, fits ? Range{open.back(), open.back() + 1} : Range{});
            if (fits) {
                if (is_at(open.back()))
                    take(open.back(), {piece.begin, piece.begin + 1});
                open.pop_back();
            }
        }
    }
    for (std::uint32_t place : open)
        if (is_at(place))
            take(place, {});
    return found;
}

} // namespace hidet::lang::service
