// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/text/snippets.h"

#include "lang/base/ascii.h"
#include "lang/base/check.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"

namespace hidet::compiler {

namespace {

constexpr std::string_view marker = "//> ";

// Words separated by blanks; blanks inside of parentheses belong to a word.
std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> out;
    std::string word;
    int depth = 0;
    for (char c : text) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c != ' ' || depth > 0) {
            word += c;
            continue;
        }
        if (!word.empty())
            out.push_back(std::move(word));
        word.clear();
    }
    if (!word.empty())
        out.push_back(std::move(word));
    return out;
}

// The name that a line at the outermost level declares: of a type after `struct`, `using` or `typedef`, of a function
// before its parameters, of a macro or variable by its place.
std::string declared_name(std::string_view line) {
    if (line.empty() || line[0] == ' ' || line[0] == '}' || line[0] == '/' || line.substr(0, 9) == "template ")
        return {};
    if (line.substr(0, 2) == "[[")
        line.remove_prefix(line.find("]] ") + 3);
    for (std::string_view keyword : {"struct ", "using ", "namespace ", "#define "}) {
        if (line.substr(0, keyword.size()) != keyword)
            continue;
        std::string_view rest = line.substr(keyword.size());
        if (rest.substr(0, 8) == "alignas(")
            rest.remove_prefix(rest.rfind(") ") + 2);
        std::size_t end = 0;
        while (end < rest.size() && is_word(rest[end]))
            ++end;
        return std::string(rest.substr(0, end));
    }
    std::size_t end = line.find_first_of("([;");
    if (end == std::string_view::npos || line[0] == '#')
        return {};
    std::size_t begin = end;
    while (begin > 0 && is_word(line[begin - 1]))
        --begin;
    return std::string(line.substr(begin, end - begin));
}

} // namespace

SnippetName::SnippetName(std::string_view text) : name(text.substr(0, text.find('('))) {
    if (name.size() == text.size())
        return;
    std::string_view inside = text.substr(name.size() + 1, text.size() - name.size() - 2);
    for (const std::string& argument : split(inside, ','))
        arguments.emplace_back(trimmed(argument));
}

void SnippetTable::add_file(std::string_view text) {
    bool in_piece = false;
    for (const std::string& line : split(text, '\n')) {
        if (line.substr(0, marker.size()) != marker) {
            if (in_piece)
                m_rows.back().text += line + "\n";
            continue;
        }
        in_piece = true;
        std::string_view head = std::string_view(line).substr(marker.size());
        std::size_t colon = head.find(':');
        SnippetName declared(std::string(trimmed(head.substr(0, colon))));
        Row row{.name = declared.name, .parameters = declared.arguments, .needs = {}, .text = {}, .writer = {}};
        if (colon != std::string_view::npos)
            row.needs = words(head.substr(colon + 1));
        HIDET_CHECK(m_index.emplace(row.name, m_rows.size()).second, row.name);
        m_rows.push_back(std::move(row));
    }
}

void SnippetTable::add_written(std::string name, std::vector<std::string> needs, Writer writer) {
    SnippetName declared(name);
    HIDET_CHECK(m_index.emplace(declared.name, m_rows.size()).second, name);
    m_rows.push_back({.name = declared.name,
                      .parameters = declared.arguments,
                      .needs = std::move(needs),
                      .text = {},
                      .writer = std::move(writer)});
}

const SnippetTable::Row& SnippetTable::find(const SnippetName& snippet) const {
    auto found = m_index.find(snippet.name);
    HIDET_CHECK(found != m_index.end(), snippet.name);
    const Row& row = m_rows[found->second];
    HIDET_CHECK(row.parameters.size() == snippet.arguments.size(), snippet.name);
    return row;
}

std::string SnippetTable::expand(const Row& row, const SnippetName& snippet, std::string_view text) const {
    constexpr std::string_view device = "device ";
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '$') {
            out += text[i];
            continue;
        }
        std::string_view rest = text.substr(i + 1);
        std::size_t best = row.parameters.size();
        for (std::size_t p = 0; p < row.parameters.size(); ++p) {
            bool is_longer = best == row.parameters.size() || row.parameters[p].size() > row.parameters[best].size();
            if (rest.substr(0, row.parameters[p].size()) == row.parameters[p] && is_longer)
                best = p;
        }
        if (best < row.parameters.size()) {
            out += snippet.arguments[best];
            i += row.parameters[best].size();
        } else {
            HIDET_CHECK(rest.substr(0, device.size()) == device, snippet.name);
            out += m_device.empty() ? "" : m_device + " ";
            i += device.size();
        }
    }
    return out;
}

void SnippetTable::print_one(const std::string& snippet, Printed& out) const {
    if (!out.snippets.insert(snippet).second)
        return;
    SnippetName name(snippet);
    const Row& row = find(name);
    for (const std::string& need : row.needs) {
        std::string needed = expand(row, name, need);
        bool is_built_in = needed[0] == '?' && !m_index.contains(needed.substr(1));
        if (!is_built_in)
            print_one(needed.substr(needed[0] == '?' ? 1 : 0), out);
    }
    std::string text(trimmed(expand(row, name, row.writer ? row.writer(name.arguments) : row.text)));
    if (text.empty())
        return;
    bool is_line = text.find('\n') == std::string::npos;
    if (is_line && out.ends_in_line)
        out.text.pop_back(); // lines that are a snippet each stand together
    out.ends_in_line = is_line;
    out.text += text + "\n\n";
}

std::string SnippetTable::print(const Snippets& snippets) const {
    std::map<std::size_t, Snippets> in_order;
    for (const std::string& snippet : snippets)
        in_order[static_cast<std::size_t>(&find(SnippetName(snippet)) - m_rows.data())].insert(snippet);
    Printed out;
    for (const auto& [index, names] : in_order)
        for (const std::string& name : names)
            print_one(name, out);
    return out.text;
}

std::vector<std::string> SnippetTable::declared_names(std::string_view snippet) const {
    SnippetName name(snippet);
    const Row& row = find(name);
    std::vector<std::string> out;
    for (const std::string& line : split(expand(row, name, row.writer ? row.writer(name.arguments) : row.text), '\n'))
        if (std::string declared = declared_name(line); !declared.empty())
            out.push_back(std::move(declared));
    return out;
}

std::vector<std::string> SnippetTable::names() const {
    return transformed(m_rows, [&](const Row& row) {
        return row.parameters.empty() ? row.name : cat(row.name, "(", join(row.parameters, ", "), ")");
    });
}

} // namespace hidet::compiler
