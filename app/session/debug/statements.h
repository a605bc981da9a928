// SPDX-License-Identifier: Apache-2.0
// Which statement of the script each instruction of a kernel belongs to, and where statements begin.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/snapshot/snapshot.h"
#include "compiler/artifact/program.h"
#include "compiler/artifact/variable_notes.h"
#include "lang/base/source.h"

namespace hidet::session {

struct StatementPlace {
    int file = -1; // row of the files; -1: nowhere in a script
    int line = 0;
    friend bool operator==(const StatementPlace&, const StatementPlace&) = default;
};

class Statements {
public:
    Statements() = default;
    Statements(const artifact::Function& kernel, const artifact::VariableNotes& notes, const SourceMap& sources);

    std::size_t count() const { return m_places.size(); } // of instructions
    // Of what was moved away from its statement: the one it stands in.
    const StatementPlace& at(std::size_t pc) const { return m_places[pc]; }
    const std::string& file_at(std::size_t pc) const;               // empty: none
    bool begins(std::size_t pc) const { return m_begins[pc] != 0; } // a statement, or another turn of a loop
    // The statement that stands before, in the next turn of a loop whose turns are copies.
    bool begins_copy(std::size_t pc) const { return m_is_copy[pc] != 0; }
    // Where code of the first line from this one on begins that has any. Nothing: there is none in the kernel.
    struct Line {
        int line = 0;
        std::vector<std::size_t> pcs;
    };
    std::optional<Line> line_from(const std::string& file, int line) const;
    std::vector<int> lines_of(const std::string& file) const; // that have code, ascending

private:
    std::vector<std::string> m_files;
    std::vector<StatementPlace> m_places;
    std::vector<char> m_begins, m_is_turn, m_is_copy;
};

// Whether both name one file: as they are written, or where one is the end of the other.
bool is_same_file(const std::string& a, const std::string& b);

} // namespace hidet::session
