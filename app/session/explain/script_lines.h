// SPDX-License-Identifier: Apache-2.0
// The lines of a kernel in its script, for fixes that edit text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/session/explain/access_fix.h"

namespace hidet::session {

class ScriptLines {
public:
    ScriptLines(const AccessView& view, const KernelText& kernel);
    bool is_there() const { return m_begin > 0 && m_view.place.file == m_kernel.source.name && m_end > m_begin; }
    int begin() const { return m_begin; } // of its 'def'
    int end() const { return m_end; }     // of its last line
    int count() const { return static_cast<int>(m_lines.size()); }
    std::string_view line(int number) const { return m_lines[static_cast<std::size_t>(number - 1)]; }

    FixView replace(int number, std::size_t begin, std::size_t end, std::string text, std::string title) const;
    // Lines [first, last] become this text.
    FixView replace_lines(int first, int last, std::string text, std::string title) const;

private:
    const AccessView& m_view;
    const KernelText& m_kernel;
    std::vector<std::string> m_lines;
    int m_begin = 0, m_end = 0;
};

std::size_t indent_of(std::string_view line);
bool is_one_name(std::string_view text);
bool mentions(std::string_view text, std::string_view word);
// Where the bracket that opens at `open` closes in this text; npos: in none.
std::size_t closing_of(std::string_view text, std::size_t open);
// Adds names to the import from a module. False: the script has no such import.
bool import_from(const ScriptLines& script, const char* module, const std::vector<std::string>& names,
                 std::vector<FixView>& edits);

} // namespace hidet::session
