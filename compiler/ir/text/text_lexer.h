// SPDX-License-Identifier: Apache-2.0
// Words, numbers and indentation of the textual form of IR.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/base/diagnostic.h"

namespace hidet::ir {

struct TextToken {
    enum class What : std::uint8_t { Name, Integer, Real, String, Mark, Comment, Newline, Indent, Dedent, End };
    What what = What::End;
    std::string_view text; // as written; of a comment what follows "# "
    Span span;
    int block = 0; // how many blocks stand around it
};

// Throws DiagnosticError. The last token is End.
std::vector<TextToken> lex_ir_text(const SourceMap& sources, FileId file);
// What a string token stands for.
std::string unescaped(std::string_view quoted);

} // namespace hidet::ir
