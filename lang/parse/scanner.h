// SPDX-License-Identifier: Apache-2.0
// Bytes to tokens, one by one: what the lexer grammar defines, by hand. Lines and indentation come later (logical_lines.h).
#pragma once

#include <string_view>

#include "lang/parse/faults.h"
#include "lang/parse/token.h"

namespace hidet::lang {

// A piece of the text of a file: offsets are those of the whole file.
struct Stretch {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

struct Scanned {
    Tokens tokens; // LINE_END for every end of line, no blanks
    std::vector<Stretch> comments;
};

// `text` is valid UTF-8 without NUL. What is no token is reported and left out, or stands as BAD_ATOM.
void scan(std::string_view text, Stretch where, Scanned& out, Faults& faults);

// Where the text of a string literal begins and ends, and what its prefix says.
struct StringForm {
    bool is_raw = false;
    bool is_bytes = false;
    bool is_format = false;
    bool is_triple = false;
    std::uint32_t begin = 0; // after the opening quotes
    std::uint32_t end = 0;   // before the closing quotes
};
StringForm string_form(std::string_view text, const Token& token);

} // namespace hidet::lang
