// SPDX-License-Identifier: Apache-2.0
// Formatting: blanks, empty lines and indentation, never a token. What comes out is read again before it is offered: if that
// shows other tokens or other blocks, nothing is offered.
#include "lang/service/format.h"

#include <algorithm>

#include "lang/base/text.h"
#include "lang/parse/logical_lines.h"
#include "lang/service/text_walk.h"

namespace hidet::lang::service {

namespace {

bool has_line_end(std::string_view blanks) {
    return blanks.find_first_of("\r\n") != std::string_view::npos;
}

// Everything of a text that means something: the tokens of its logical lines, and its comments.
bool read_meaning(std::string_view text, std::vector<std::pair<Tok, std::string>>& out) {
    Faults faults(1);
    Scanned scanned;
    scan(text, {0, static_cast<std::uint32_t>(text.size())}, scanned, faults);
    for (const Token& token : read_logical_lines(text, scanned, faults)) {
        const bool is_pair =
            token.kind == Tok::IS_NOT || token.kind == Tok::NOT_IN; // with any blanks between the words
        bool is_text = !is_pair && token.kind != Tok::NEWLINE && token.kind != Tok::INDENT &&
                       token.kind != Tok::DEDENT && token.kind != Tok::EndOfFile;
        out.emplace_back(token.kind, is_text ? std::string(text.substr(token.begin, token.end - token.begin)) : "");
    }
    for (Stretch comment : scanned.comments) {
        std::string words(text.substr(comment.begin, comment.end - comment.begin));
        while (!words.empty() && is_blank(words.back()))
            words.pop_back();
        out.emplace_back(Tok::COMMENT, std::move(words));
    }
    return faults.empty();
}

std::string applied(const std::string& text, const std::vector<Edit>& edits) {
    std::string out;
    std::uint32_t at = 0;
    for (const Edit& edit : edits) {
        out += text.substr(at, edit.range.begin - at) + edit.text;
        at = edit.range.end;
    }
    return out + text.substr(at);
}

bool means_the_same(const std::string& text, const std::vector<Edit>& edits) {
    std::vector<std::pair<Tok, std::string>> before, after;
    return read_meaning(text, before) && read_meaning(applied(text, edits), after) && before == after;
}

// The end of a comment without its blanks.
std::uint32_t end_of_words(std::string_view text, Range comment) {
    while (comment.end > comment.begin && is_blank(text[comment.end - 1]))
        --comment.end;
    return comment.end;
}

std::vector<Edit> all_edits(const Document& document) {
    const std::string& text = document.text();
    const std::vector<FormatItem> items = format_items(text, document.tokens(), document.comments());
    const Spacing spacing(text, items);
    const LineLayout layout(text, items, spacing);
    std::vector<Edit> out;
    auto put = [&](std::uint32_t begin, std::uint32_t end, std::string blanks) {
        if (text.compare(begin, end - begin, blanks) != 0)
            out.push_back({{begin, end}, std::move(blanks)});
    };
    for (std::size_t i = 0; i < items.size(); ++i)
        put(i == 0 ? 0 : items[i - 1].end, items[i].begin,
            items[i].begins_line ? layout.gaps()[i] : std::string(spacing.before(i), ' '));
    const std::uint32_t last = items.empty() ? 0 : items.back().end;
    put(last, static_cast<std::uint32_t>(text.size()), items.empty() ? "" : std::string(line_end_of(text)));
    return out;
}

std::string why_not(const Document& document) {
    if (!document.is_readable())
        return "the text cannot be read";
    const std::vector<Diagnostic>& mistakes = document.reading()->mistakes;
    for (const Diagnostic& mistake : mistakes)
        if (mistake.severity == Severity::Error)
            return cat("line ", document.sources().file(1).position(mistake.span.begin).line, ": ", mistake.message);
    return "";
}

} // namespace

std::vector<FormatItem> format_items(std::string_view text, const Tokens& tokens, const std::vector<Range>& comments) {
    std::vector<FormatItem> out;
    for (const Token& token : tokens)
        if (token.kind != Tok::LINE_END)
            out.push_back({token.kind, token.begin, token.end});
    for (Range comment : comments)
        out.push_back({Tok::COMMENT, comment.begin, end_of_words(text, comment)});
    std::ranges::sort(out, {}, &FormatItem::begin);
    int depth = 0;
    std::uint32_t end = 0;
    for (FormatItem& item : out) {
        depth -= closes_bracket(item.kind) && depth > 0 ? 1 : 0;
        std::string_view blanks = text.substr(end, item.begin - end);
        item.begins_line = &item == out.data() || has_line_end(blanks);
        item.is_joined = blanks.find('\\') != std::string_view::npos;
        // A closing bracket that begins a line belongs to what it closes.
        item.depth = depth + (closes_bracket(item.kind) ? 1 : 0);
        item.is_code_line = item.begins_line && item.depth == 0 && !item.is_joined && item.kind != Tok::COMMENT;
        depth += opens_bracket(item.kind) ? 1 : 0;
        end = item.end;
    }
    return out;
}

Formatting format(const Document& document) {
    return quietly<Formatting>(document, [&] {
        Formatting out;
        out.refusal = why_not(document);
        if (!out.refusal.empty())
            return out;
        out.edits = all_edits(document);
        if (!means_the_same(document.text(), out.edits))
            return Formatting{{}, "the formatted text would mean something else"};
        return out;
    });
}

Formatting format_range(const Document& document, Range range) {
    return quietly<Formatting>(document, [&] {
        Formatting out = format(document);
        const std::uint32_t begin = start_of_line(document.text(), document.clamp(range.begin));
        const std::uint32_t end = end_of_line(document.text(), document.clamp(range.end));
        std::erase_if(out.edits, [&](const Edit& edit) { return edit.range.end < begin || edit.range.begin > end; });
        if (means_the_same(document.text(), out.edits))
            return out;
        // A part of a block cannot be indented otherwise than the rest.
        std::erase_if(out.edits, [&](const Edit& edit) { return has_line_end(document.at(edit.range)); });
        if (!means_the_same(document.text(), out.edits))
            out.edits.clear();
        return out;
    });
}

} // namespace hidet::lang::service
