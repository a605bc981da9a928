// SPDX-License-Identifier: Apache-2.0
// A text in pieces, as formatting sees it: tokens and comments, and the blanks between them, which alone it changes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/parse/token.h"
#include "lang/service/document.h"

namespace hidet::lang::service {

struct FormatItem {
    Tok kind = Tok::EndOfFile; // COMMENT for those
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    int depth = 0;             // of the brackets that are open in front of it
    bool begins_line = false;  // a line of the text ended in front of it
    bool is_joined = false;    // or a backslash joined that line
    bool is_code_line = false; // it begins a logical line
};
std::vector<FormatItem> format_items(std::string_view text, const Tokens& tokens, const std::vector<Range>& comments);

// How many blanks belong in front of each item that begins no line: of those that stand there only that there are any
// counts, and only where either is good style.
class Spacing {
public:
    Spacing(std::string_view text, const std::vector<FormatItem>& items);
    std::uint32_t before(std::size_t item) const { return m_before[item]; }

private:
    std::vector<std::uint32_t> m_before;
};

// The whole blanks in front of items that begin lines: empty lines and indentation.
class LineLayout {
public:
    LineLayout(std::string_view text, const std::vector<FormatItem>& items, const Spacing& spacing);
    const std::vector<std::string>& gaps() const { return m_gaps; } // "" for items that begin no line
private:
    std::vector<std::string> m_gaps;
};

} // namespace hidet::lang::service
