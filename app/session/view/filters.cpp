// SPDX-License-Identifier: Apache-2.0
#include "app/session/view/filters.h"

#include <algorithm>

#include "app/session/view/links.h"
#include "lang/base/ascii.h"

namespace hidet::session {

namespace {

struct FilterLine {
    std::string text;
    std::size_t index = 0; // in the text before
    bool gone = false;
};
using FilterLines = std::vector<FilterLine>;

bool is_symbol_byte(char c) {
    return is_word(c) || c == '$' || c == '.';
}

bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

std::string_view first_word(std::string_view text) {
    return text.substr(0, text.find_first_of(" \t"));
}

// A line that holds a label and nothing else: its name, or "".
std::string_view label_of(std::string_view line) {
    std::string_view text = trimmed(line);
    if (!text.ends_with(':'))
        return {};
    text.remove_suffix(1);
    return std::all_of(text.begin(), text.end(), is_symbol_byte) ? text : std::string_view();
}

// A function's name stands as a label too, but nothing jumps to it: it heads the code.
bool is_jump_target(std::string_view label) {
    return label.starts_with(".L") || label.starts_with("$L") || label.starts_with(".L_") || label.starts_with("BB");
}

void hide_ptx_directives(FilterLines& lines) {
    static constexpr std::string_view hidden[] = {
        ".address_size", ".file", ".loc",     ".maxnctapersm", ".maxnreg", ".maxntid", ".minnctapersm",
        ".pragma",       ".reg",  ".reqntid", ".section",      ".target",  ".version"};
    for (FilterLine& line : lines) {
        std::string_view word = first_word(trimmed(line.text));
        if (std::find(std::begin(hidden), std::end(hidden), word) != std::end(hidden))
            line.gone = true;
    }
}

void hide_sass_directives(FilterLines& lines) {
    for (FilterLine& line : lines)
        if (trimmed(line.text).starts_with('.') && label_of(line.text).empty())
            line.gone = true;
}

// Both kinds of comment, also over several lines.
void hide_comments(FilterLines& lines) {
    bool inside = false;
    for (FilterLine& line : lines) {
        std::string kept;
        bool had_comment = inside;
        for (std::size_t at = 0; at < line.text.size();) {
            std::size_t close = inside ? line.text.find("*/", at) : at;
            if (inside) {
                at = close == std::string::npos ? line.text.size() : close + 2;
                inside = close == std::string::npos;
            } else if (line.text.compare(at, 2, "//") == 0) {
                had_comment = true;
                break;
            } else if (line.text.compare(at, 2, "/*") == 0) {
                had_comment = inside = true;
                at += 2;
            } else {
                kept += line.text[at++];
            }
        }
        if (!had_comment)
            continue;
        kept.erase(kept.find_last_not_of(" \t") + 1);
        line.gone |= kept.empty();
        line.text = std::move(kept);
    }
}

// How often each word occurs, other than as the label itself.
void hide_labels(FilterLines& lines) {
    std::map<std::string_view, int> uses;
    for (const FilterLine& line : lines) {
        if (line.gone || !label_of(line.text).empty())
            continue;
        std::string_view text = line.text;
        for (std::size_t at = 0; at < text.size();) {
            std::size_t end = at;
            while (end < text.size() && is_symbol_byte(text[end]))
                ++end;
            if (end > at)
                ++uses[text.substr(at, end - at)];
            at = std::max(end, at + 1);
        }
    }
    for (FilterLine& line : lines)
        if (std::string_view label = label_of(line.text); is_jump_target(label) && uses.count(label) == 0)
            line.gone = true;
}

// "    0a40  @P0   EXIT", or "        /*0a40*/   EXIT ;" as nvdisasm writes it.
std::size_t end_of_address(std::string_view text) {
    std::size_t at = text.find_first_not_of(" \t");
    if (at == std::string_view::npos)
        return 0;
    bool quoted = text.substr(at).starts_with("/*");
    std::size_t begin = quoted ? at + 2 : at, end = begin;
    while (end < text.size() && is_hex(text[end]))
        ++end;
    if (end - begin < 4)
        return 0;
    if (quoted)
        return text.substr(end).starts_with("*/") ? end + 2 : 0;
    return end < text.size() && text[end] == ' ' ? end : 0;
}

void hide_sass_addresses(FilterLines& lines) {
    for (FilterLine& line : lines)
        if (std::size_t end = end_of_address(line.text); end > 0)
            line.text = "  " + line.text.substr(std::min(line.text.find_first_not_of(' ', end), line.text.size()));
}

// "/* 0x000000... */" at the end of a line, or alone on one.
void hide_sass_encodings(FilterLines& lines) {
    for (FilterLine& line : lines) {
        std::size_t at = line.text.rfind("/*");
        if (at == std::string::npos || !trimmed(line.text).ends_with("*/") ||
            !trimmed(std::string_view(line.text).substr(at + 2)).starts_with("0x"))
            continue;
        line.text.erase(at);
        line.text.erase(line.text.find_last_not_of(" \t") + 1);
        line.gone |= line.text.empty();
    }
}

std::string_view instruction_of(std::string_view line) {
    return trimmed(line.substr(end_of_address(line)));
}

// A branch to itself and what follows it up to the end of its function, and NOPs there.
void hide_sass_padding(FilterLines& lines) {
    bool at_end = true;
    for (std::size_t i = lines.size(); i-- > 0;) {
        FilterLine& line = lines[i];
        if (line.gone || trimmed(line.text).empty())
            continue;
        std::string_view label = label_of(line.text);
        if (!label.empty() && !is_jump_target(label)) { // the head of a function: the end of the one above
            at_end = true;
            continue;
        }
        if (!at_end || !label.empty())
            continue;
        std::string_view word = first_word(instruction_of(line.text));
        std::string_view above = i > 0 ? label_of(lines[i - 1].text) : std::string_view();
        bool loops = word == "BRA" && !above.empty() && line.text.find(above) != std::string::npos;
        if (word.starts_with("NOP") || loops) {
            line.gone = true;
            if (loops)
                lines[i - 1].gone = true;
        } else {
            at_end = false;
        }
    }
}

using Hide = void (*)(FilterLines&);
constexpr Hide functions[] = {
#define HIDET_FILTER(name, id, form, apply, title, summary) apply,
#include "app/session/view/filters.def"
};

} // namespace

const std::vector<FilterInfo>& all_filters() {
    static const std::vector<FilterInfo> filters = {
#define HIDET_FILTER(name, id, form, apply, title, summary) {Filter::name, id, Form::form, title, summary},
#include "app/session/view/filters.def"
    };
    return filters;
}

TextSnapshot filtered(const TextSnapshot& text, Form form, const std::vector<Filter>& filters) {
    LineTable table(text.text);
    FilterLines lines;
    for (int line = 1; line <= table.count(); ++line)
        lines.push_back({std::string(table.text(line)), lines.size()});
    for (const FilterInfo& info : all_filters())
        if (info.form == form && std::find(filters.begin(), filters.end(), info.filter) != filters.end())
            functions[static_cast<std::size_t>(info.filter)](lines);
    TextSnapshot out;
    bool was_empty = true;
    bool dropped = false;
    for (const FilterLine& line : lines) {
        bool is_empty = trimmed(line.text).empty();
        dropped |= line.gone;
        if (line.gone || (is_empty && was_empty && dropped)) // no gap where something was taken away
            continue;
        was_empty = is_empty;
        dropped = false;
        out.text += line.text + "\n";
        if (line.index < text.lines.size())
            out.lines.push_back(text.lines[line.index]);
        if (line.index < text.source_lines.size())
            out.source_lines.push_back(text.source_lines[line.index]);
        if (line.index < text.controls.size())
            out.controls.push_back(text.controls[line.index]);
    }
    return out;
}

} // namespace hidet::session
