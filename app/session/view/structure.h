// SPDX-License-Identifier: Apache-2.0
// What a text of IR is made of: functions, loops, branches, allocations, barriers, copies, products of tiles, with what is
// inside of what, and what a pass made of it. Read from the text, which is all that is kept of a stage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hidet::session {

enum class StructureKind : std::uint8_t {
#define HIDET_STRUCTURE_KIND(name, ...) name,
#include "app/session/view/structure_kinds.def"
};
const char* structure_kind_name(StructureKind kind); // "loop"
const char* what_is(StructureKind kind);             // a sentence's part

enum class StructureChange : std::uint8_t { Same, Added, Removed, Altered };
const char* structure_change_name(StructureChange change);

// In the order of the text; what is one deeper and follows is inside of it.
struct StructureRow {
    int depth = 0;
    StructureKind kind{};
    std::string name;
    std::string detail;
    int line = 0;     // from 1 on; of what was removed, that of the text before
    int end_line = 0; // the last one of what is inside
    StructureChange change = StructureChange::Same;
    std::string before; // the detail, of what was altered
};
using Structure = std::vector<StructureRow>;

struct ModuleStructure {
    int number = 0;     // of the module, as the script built it
    std::string after;  // the pass; empty: the module as the script made it
    std::string before; // the one that it is compared with; empty: none
    Structure rows;
};

// Empty: the text is no IR of a module.
Structure structure_of(const std::string& text);
// The structure of the later text with what a pass added and altered, and what it removed where that stood. Numbers that tell
// equal names apart do not count.
Structure structure_changes(const Structure& before, const Structure& after);
// The innermost row that holds the line; -1: none.
int structure_row_at(const Structure& structure, int line);
// One line for each: its line, marks of what changed, what it is, its name and detail.
std::string structure_text(const Structure& structure);

} // namespace hidet::session
