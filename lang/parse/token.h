// SPDX-License-Identifier: Apache-2.0
// Tokens as the scanner and the reader of logical lines make them. Their numbers are those of the grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
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

class TokSet {
public:
    constexpr TokSet(std::initializer_list<Tok> kinds) {
        for (const Tok kind : kinds)
            m_holds[static_cast<std::size_t>(kind)] = true;
    }
    constexpr bool holds(Tok kind) const { return m_holds[static_cast<std::size_t>(kind)]; }

private:
    bool m_holds[256] = {};
};

std::string_view spelling(Tok kind); // "" where the text varies
bool is_keyword(Tok kind);
Tok keyword(std::string_view word); // NAME if it is none

inline bool opens_bracket(Tok kind) {
    return kind == Tok::LPAREN || kind == Tok::LBRACK || kind == Tok::LBRACE || kind == Tok::WITH_PAREN;
}
// Words that begin a statement and stand nowhere else.
inline constexpr TokSet statement_beginnings{
    Tok::ASSERT, Tok::BREAK,    Tok::CLASS, Tok::CONTINUE, Tok::DEF,    Tok::DEL, Tok::ELIF,  Tok::EXCEPT, Tok::FINALLY,
    Tok::GLOBAL, Tok::NONLOCAL, Tok::PASS,  Tok::RAISE,    Tok::RETURN, Tok::TRY, Tok::WHILE, Tok::WITH};
inline bool only_begins_statement(Tok kind) {
    return statement_beginnings.holds(kind);
}
inline bool closes_bracket(Tok kind) {
    return kind == Tok::RPAREN || kind == Tok::RBRACK || kind == Tok::RBRACE;
}

} // namespace hidet::lang
