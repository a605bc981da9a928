// SPDX-License-Identifier: Apache-2.0
#include "lang/service/manual.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <span>

#include "lang/base/text.h"
#include "lang/service/catalog.h"
#include "lang/service/lookup.h"

namespace hidet::lang::service {

// The pages as the build embeds them.
namespace manual_text {
#define HIDET_MANUAL_PAGE(name) extern const std::string_view name##_md;
#include "lang/manual/pages.def"
#undef HIDET_MANUAL_PAGE
} // namespace manual_text

namespace {

using Index = std::multimap<std::string, ManualPlace, std::less<>>;

std::string title_of(std::string_view text) {
    const std::size_t begin = text.find("# ") + 2;
    return std::string(text.substr(begin, text.find('\n', begin) - begin));
}

// "| `word` | [title](page.md#anchor) |"
void read_row(std::string_view line, Index& out) {
    const auto between = [&](std::string_view open, std::string_view close) {
        const std::size_t begin = line.find(open) + open.size();
        const std::size_t end = line.find(close, begin);
        const std::string_view found = line.substr(begin, end - begin);
        line.remove_prefix(end);
        return std::string(found);
    };
    ManualPlace place;
    place.word = between("| `", "` |");
    place.title = between("[", "](");
    place.page = between("(", ".md#");
    place.anchor = between("#", ") |");
    out.emplace(place.word, std::move(place));
}

const Index& index() {
    static const Index read = [] {
        Index out;
        for (const std::string& line : split(manual_text::index_md, '\n'))
            if (line.starts_with("| `"))
                read_row(line, out);
        return out;
    }();
    return read;
}

std::vector<ManualPlace> places_of(std::string_view word) {
    std::vector<ManualPlace> out;
    const auto [begin, end] = index().equal_range(word);
    for (auto at = begin; at != end; ++at)
        out.push_back(at->second);
    return out;
}

int level_of(std::string_view line) {
    const std::size_t level = line.find_first_not_of('#');
    return level != std::string_view::npos && level > 0 && line[level] == ' ' ? static_cast<int>(level) : 0;
}

bool is_row_of(std::string_view line, std::string_view word) {
    for (const std::string& cell : split(line, '|')) {
        std::string name(trimmed(cell));
        std::erase(name, '`');
        if (name == word ||
            (name.ends_with(word) && name.find(' ') == std::string::npos && name[name.size() - word.size() - 1] == '.'))
            return true;
    }
    return false;
}

constexpr std::size_t table_head = 2; // lines: titles, and what is below them

// A table without the rows of other words, or without those beyond the first ones.
std::string table_text(std::span<const std::string> lines, std::string_view word, std::size_t most_rows) {
    const auto is_own = [&](const std::string& line) { return is_row_of(line, word); };
    const bool has_word = !word.empty() && std::ranges::any_of(lines, is_own);
    std::string out;
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (i < table_head || (has_word ? is_own(lines[i]) : i - table_head < most_rows))
            out += lines[i] + '\n';
        else
            ++left_out;
    return has_word || left_out == 0 ? out : cat(out, "\nand ", left_out, " more, which the search finds by name.\n");
}

std::string with_tables_cut(const std::vector<std::string>& lines, std::string_view word, std::size_t most_rows) {
    std::string out;
    for (std::size_t at = 0; at < lines.size();) {
        std::size_t end = at;
        while (end < lines.size() && lines[end].starts_with('|'))
            ++end;
        if (end > at)
            out += table_text(std::span(lines).subspan(at, end - at), word, most_rows);
        else
            out += lines[end++] + '\n';
        at = end;
    }
    return out;
}

std::vector<std::string> lines_of_section(const ManualPlace& place) {
    const ManualPage* page = manual_page(place.page);
    std::vector<std::string> out;
    if (!page)
        return out;
    int level = place.anchor.empty() ? 1 : 0; // without one: the whole page
    bool is_code = false;
    for (const std::string& line : split(page->text, '\n')) {
        is_code ^= line.starts_with("```");
        const int here = is_code ? 0 : level_of(line);
        if (here > 0 && level > 0 && here <= level && !place.anchor.empty())
            break;
        if (here > 0 && level == 0 && manual_anchor(line.substr(static_cast<std::size_t>(here) + 1)) == place.anchor)
            level = here;
        if (level > 0 && !line.starts_with("<!--"))
            out.push_back(line);
    }
    while (!out.empty() && out.back().empty())
        out.pop_back();
    return out;
}

// The script of the first block of Python behind a line; empty: there is none.
std::string script_behind(const std::vector<std::string>& lines, std::size_t at) {
    std::string out;
    bool is_script = false;
    for (; at < lines.size(); ++at) {
        if (is_script && lines[at].starts_with("```"))
            break;
        if (is_script)
            out += lines[at] + '\n';
        is_script = is_script || lines[at] == "```python";
    }
    return out;
}

// Without what marks code and links.
std::string first_paragraph(const std::vector<std::string>& lines) {
    std::string out;
    for (std::size_t at = 1; at < lines.size() && (out.empty() || !lines[at].empty()); ++at)
        out += cat(out.empty() ? "" : " ", trimmed(lines[at]));
    std::erase(out, '`');
    return out;
}

std::string_view word_around(std::string_view text, std::size_t offset) {
    const auto is_part = [&](std::size_t i) {
        return std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_';
    };
    std::size_t begin = std::min(offset, text.size()), end = begin;
    while (begin > 0 && is_part(begin - 1))
        --begin;
    while (end < text.size() && is_part(end))
        ++end;
    return text.substr(begin, end - begin);
}

Thing thing_at_offset(const Document& document, std::uint32_t offset) {
    if (const Occurrence* use = document.names().occurrence_at(offset))
        return thing_at(document, *use);
    if (const AttributeUse* use = document.names().attribute_at(offset))
        return thing_at(document, *use);
    if (const ImportUse* use = document.names().import_at(offset))
        return find_in_module(document, use->module, use->member);
    return {};
}

} // namespace

const std::vector<ManualPage>& manual_pages() {
    static const std::vector<ManualPage> pages = {
#define HIDET_MANUAL_PAGE(name) {#name, title_of(manual_text::name##_md), manual_text::name##_md},
#include "lang/manual/pages.def"
#undef HIDET_MANUAL_PAGE
    };
    return pages;
}

const ManualPage* manual_page(std::string_view name) {
    const auto& pages = manual_pages();
    const auto found = std::ranges::find_if(pages, [&](const ManualPage& page) { return page.name == name; });
    return found == pages.end() ? nullptr : &*found;
}

std::string manual_anchor(std::string_view heading) {
    std::string out;
    for (const char c : heading)
        if (c == ' ')
            out += '-';
        else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-')
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

std::vector<ManualPlace> manual_places(std::string_view word) {
    std::vector<ManualPlace> out = places_of(word);
    if (word.find('.') != std::string_view::npos)
        if (ManualPlace place = manual_place_of(word); place.known() && out.empty())
            out.push_back(std::move(place));
    const std::string tail = cat('.', word);
    for (const ManualPage& page : manual_pages())
        for (const auto& [name, place] : index())
            if (place.page == page.name && name.ends_with(tail))
                out.push_back(place);
    return out;
}

ManualPlace manual_place_of(std::string_view path) {
    const auto first_of = [](std::string_view word) {
        const std::vector<ManualPlace> places = places_of(word);
        return places.empty() ? ManualPlace() : places.front();
    };
    for (const std::string& name : documented_names(path)) {
        if (ManualPlace place = first_of(name); place.known())
            return place;
        if (name.starts_with("hidet."))
            if (ManualPlace place = first_of(std::string_view(name).substr(6)); place.known())
                return place;
    }
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos || (path.starts_with("hidet.") && !path.starts_with("hidet.option.")))
        return {};
    if (path.starts_with("math.") || path.starts_with("numpy.")) // math.sin is the kernel's sin, numpy.int8 its type
        if (ManualPlace place = first_of(path.substr(dot + 1)); place.known())
            return place;
    return first_of(path.substr(0, dot)); // the module that it is of
}

ManualPlace manual_at(const Document& document, std::uint32_t offset) {
    return quietly<ManualPlace>(document, [&]() -> ManualPlace {
        offset = document.clamp(offset);
        const Thing thing = thing_at_offset(document, offset);
        if (thing.entry)
            return manual_place_of(thing.entry->path);
        if (thing.known()) // a name of the user's
            return {};
        const std::string_view word = word_around(document.text(), offset);
        const std::vector<ManualPlace> places = word.empty() ? std::vector<ManualPlace>() : manual_places(word);
        return places.empty() ? ManualPlace() : places.front();
    });
}

std::string manual_suggestion(std::string_view word) {
    std::vector<std::string> words;
    for (const auto& [name, place] : index()) {
        if (name.find_first_of(" -") != std::string::npos && word.find('-') == std::string_view::npos)
            continue; // of several words, as the ids of messages: others seem to abbreviate it
        words.push_back(name);
        if (const std::size_t dot = name.rfind('.'); dot != std::string::npos)
            words.push_back(name.substr(dot + 1));
    }
    return closest(word, words);
}

std::string manual_section(const ManualPlace& place, std::size_t most_rows) {
    return with_tables_cut(lines_of_section(place), place.word, most_rows);
}

ManualTrial manual_trial(std::string_view word) {
    for (const ManualPlace& place : places_of(word)) {
        const std::vector<std::string> lines = lines_of_section(place);
        const auto cure = std::ranges::find_if(lines, [](const auto& line) { return line.starts_with("The cure: "); });
        if (cure == lines.end())
            continue;
        return {place.title, first_paragraph(lines), script_behind(lines, 0),
                script_behind(lines, static_cast<std::size_t>(cure - lines.begin()))};
    }
    return {};
}

} // namespace hidet::lang::service
