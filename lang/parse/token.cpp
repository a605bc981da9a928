// SPDX-License-Identifier: Apache-2.0
#include "lang/parse/token.h"

#include <utility>

namespace hidet::lang {

std::string_view spelling(Tok kind) {
    static constexpr std::string_view words[] = {
        "",
#define TOKEN(name, spelling) spelling,
#include "lang/parse/tokens.def"
    };
    return words[static_cast<std::size_t>(kind)];
}

static constexpr std::pair<std::string_view, Tok> keywords[] = {
#define TOKEN(name, spelling)
#define KEYWORD(name, spelling) {spelling, Tok::name},
#include "lang/parse/tokens.def"
};

bool is_keyword(Tok kind) {
    return kind >= Tok::FALSE && kind <= Tok::YIELD;
}

Tok keyword(std::string_view word) {
    if (word.size() < 2 || word.size() > 8)
        return Tok::NAME;
    for (const auto& [text, kind] : keywords)
        if (text.size() == word.size() && text[0] == word[0] && text == word)
            return kind;
    return Tok::NAME;
}

} // namespace hidet::lang
