// SPDX-License-Identifier: Apache-2.0
// Tokens as the scanner and the reader of logical lines make them. Their numbers are those of the grammar.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace hidet::lang {

enum class Tok : std::uint8_t {
    EndOfFile = 0,
#define TOKEN(name, spelling) name,
#include "lang/parse/tokens.def"
};

struct Token {
    Tok kind = Tok::EndOfFile;
    std::uint32_t begin = 0; // bytes of the file
    std::uint32_t end = 0;
};
using Tokens = std::vector<Token>;

std::string_view spelling(Tok kind); // "" where the text varies
bool is_keyword(Tok kind);
Tok keyword(std::string_view word); // NAME if it is none

inline bool opens_bracket(Tok kind) {
    return kind == Tok::LPAREN || kind == Tok::LBRACK || kind == Tok::LBRACE || kind == Tok::WITH_PAREN;
}
// Words that begin a statement and stand nowhere else.
inline bool only_begins_statement(Tok kind) {
    switch (kind) {
    case Tok::ASSERT:
    case Tok::BREAK:
    case Tok::CLASS:
    case Tok::CONTINUE:
    case Tok::DEF:
    case Tok::DEL:
    case Tok::ELIF:
    case Tok::EXCEPT:
    case Tok::FINALLY:
    case Tok::GLOBAL:
    case Tok::NONLOCAL:
    case Tok::PASS:
    case Tok::RAISE:
    case Tok::RETURN:
    case Tok::TRY:
    case Tok::WHILE:
    case Tok::WITH: return true;
    default: return false;
    }
}
inline bool closes_bracket(Tok kind) {
    return kind == Tok::RPAREN || kind == Tok::RBRACK || kind == Tok::RBRACE;
}

} // namespace hidet::lang
