// SPDX-License-Identifier: Apache-2.0
// What an instruction of PTX or SASS means, for the card under the mouse. Tables: ptx_help.def, sass_help.def and the
// modifiers beside them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/view/links.h"

namespace hidet::session {

enum class AssemblyLanguage : std::uint8_t { Ptx, Sass };

struct ModifierHelp {
    std::string text; // ".128"
    std::string meaning;
};

struct InstructionHelp {
    TextRange range;                     // of the instruction's name in the line, bytes
    std::string name;                    // "LDG.E.128"
    std::string base;                    // "LDG"
    std::string meaning;                 // one sentence
    std::string operands;                // "destination, [address]"
    std::string unit;                    // "memory, long latency"
    std::vector<ModifierHelp> modifiers; // those of the line that are known, in its order
};

// Of the instruction in this line of a listing when the column (1-based, bytes) is in its name; column 0: wherever it is.
// Nothing: no instruction there, or one that the tables do not know.
std::optional<InstructionHelp> instruction_help(AssemblyLanguage language, std::string_view line, int column = 0);

// The name of the instruction in a line, with its modifiers; empty: none.
TextRange instruction_in(AssemblyLanguage language, std::string_view line);

// All names in the tables, for tests and completion.
std::vector<std::string> known_instructions(AssemblyLanguage language);

} // namespace hidet::session
