// SPDX-License-Identifier: Apache-2.0
// The lines of a kernel in its script, for fixes that edit text.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/explain/access_fix.h"
#include "lang/base/ascii.h"
#include "lang/base/text.h"

namespace hidet::session {

inline std::size_t indent_of(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

class ScriptLines {
public:
    ScriptLines(const AccessView& view, const KernelText& kernel)
        : m_view(view), m_kernel(kernel), m_lines(split(kernel.source.text, '\n')), m_begin(kernel.line) {
        m_end = m_begin;
        const std::size_t indent = m_begin > 0 ? indent_of(line(m_begin)) : 0;
        for (int number = m_begin + 1; number <= count(); ++number) {
            const std::string_view text = line(number);
            if (trimmed(text).empty())
                continue;
            if (indent_of(text) <= indent && !trimmed(text).starts_with(')'))
                break;
            m_end = number;
        }
    }

    bool is_there() const { return m_begin > 0 && m_view.place.file == m_kernel.source.name && m_end > m_begin; }
    int begin() const { return m_begin; } // of its 'def'
    int end() const { return m_end; }     // of its last line
    int count() const { return static_cast<int>(m_lines.size()); }
    std::string_view line(int number) const { return m_lines[static_cast<std::size_t>(number - 1)]; }

    FixView replace(int number, std::size_t begin, std::size_t end, std::string text, std::string title) const {
        const Place place{m_kernel.source.name, number, column_at(line(number), begin), number,
                          column_at(line(number), end)};
        return {place, std::move(text), std::move(title)};
    }

    // Lines [first, last] become this text.
    FixView replace_lines(int first, int last, std::string text, std::string title) const {
        const Place place{m_kernel.source.name, first, 1, last, column_at(line(last), line(last).size())};
        return {place, std::move(text), std::move(title)};
    }

private:
    // Columns count code points.
    static int column_at(std::string_view line, std::size_t byte) {
        int column = 1;
        for (std::size_t i = 0; i < byte; ++i)
            column += (static_cast<unsigned char>(line[i]) & 0xC0) != 0x80;
        return column;
    }

    const AccessView& m_view;
    const KernelText& m_kernel;
    std::vector<std::string> m_lines;
    int m_begin = 0, m_end = 0;
};

inline bool is_one_name(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_word);
}

inline bool mentions(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const bool begins = at == 0 || !is_word(text[at - 1]);
        const std::size_t end = at + word.size();
        if (begins && (end == text.size() || !is_word(text[end])))
            return true;
    }
    return false;
}

// Where the bracket that opens at `open` closes in this text; npos: in none.
inline std::size_t closing_of(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        depth += text[at] == '(' || text[at] == '[' ? 1 : text[at] == ')' || text[at] == ']' ? -1 : 0;
        if (depth == 0)
            return at;
    }
    return std::string_view::npos;
}

// Adds names to the import from a module. False: the script has no such import.
inline bool import_from(const ScriptLines& script, const char* module, const std::vector<std::string>& names,
                        std::vector<FixView>& edits) {
    const std::string begin = cat("from ", module, " import ");
    for (int number = 1; number <= script.count(); ++number) {
        const std::string_view line = script.line(number);
        if (!line.starts_with(begin))
            continue;
        const bool is_open = line.ends_with('(');
        std::string known(line);
        for (int next = number + 1; is_open && next <= script.count() && !known.ends_with(')'); ++next)
            known += cat(" ", trimmed(script.line(next)));
        std::vector<std::string> missing;
        std::ranges::copy_if(names, std::back_inserter(missing),
                             [&](const std::string& name) { return !mentions(known, name); });
        if (missing.empty())
            return true;
        const std::size_t at = is_open ? line.size() : begin.size();
        const std::string listed = join(missing, ", ");
        edits.push_back(script.replace(number, at, at, is_open ? cat("\n    ", listed, ",") : cat(listed, ", "),
                                       cat("import '", join(missing, "', '"), "'")));
        return true;
    }
    return false;
}

} // namespace hidet::session
