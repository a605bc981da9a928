// SPDX-License-Identifier: Apache-2.0
// What an editor for Python does with text alone. These need no document and read any bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/service/range.h"

namespace hidet::lang::service {

struct IndentStyle {
    int width = 4;
    bool tabs = false;
};

// The blanks that a line begins with when it is opened at the offset: deeper after ':', shallower after return, break,
// continue, pass and raise, aligned below what stands behind an open bracket, a level deeper where nothing stands there.
// Inside of a string of several lines it is the line's own indentation.
std::string indent_of_new_line(std::string_view text, std::uint32_t offset, IndentStyle style = {});

// Where the line at the offset belongs when its first word was just typed: `else`, `elif`, `except` and `finally` go
// below their partner. The line's own indentation when there is nothing to change.
std::string indent_of_clause(std::string_view text, std::uint32_t offset);

// Comments the lines that the range touches, or uncomments them when all that are not blank are comments. The mark goes
// to the smallest indentation of the lines, blank lines are left alone.
std::vector<Edit> toggle_comment(std::string_view text, Range lines, std::string_view mark = "#");

// The bracket that belongs to the one at the offset (or just before it), and that one itself. Brackets in strings and
// comments do not count. Both are empty when there is none.
struct BracketPair {
    Range at;
    Range partner; // empty where it is missing
};
BracketPair matching_bracket(std::string_view text, std::uint32_t offset);

} // namespace hidet::lang::service
