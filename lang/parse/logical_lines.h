// SPDX-License-Identifier: Apache-2.0
// From the scanner's tokens to those of the parser: logical lines, indentation, brackets, soft keywords, f-strings.
#pragma once

#include <string_view>

#include "lang/parse/faults.h"
#include "lang/parse/scanner.h"
#include "lang/parse/token.h"

namespace hidet::lang {

// Reports what is wrong with lines and brackets, and emits tokens that leave the parser nothing more to say about it.
Tokens read_logical_lines(std::string_view text, const Scanned& scanned, Faults& faults);

// Appends one token: `not in` and `is not` become one, an f-string becomes many.
void append_token(std::string_view text, const Token& token, Tokens& out, Faults& faults);

// Appends the tokens of an f-string: FS_BEGIN, its parts with the tokens of their expressions, FS_END; or BAD_ATOM.
void split_format_string(std::string_view text, const Token& token, Tokens& out, Faults& faults);

} // namespace hidet::lang
