// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "grammar/reference_tokens.h"
#include "lang/base/text.h"
#include "lang/parse/scanner.h"
#include "tests/fuzz/targets.h"

namespace hidet::fuzz {

// What stands for a mistake is not defined by the grammar: such texts are only scanned.
void lexer(std::string_view input) {
    if (!is_readable(input) || input.size() > 100'000)
        return;
    const std::string text(input);
    lang::Faults faults(1);
    lang::Scanned scanned;
    const bool has_mark = text.starts_with("\xEF\xBB\xBF");
    lang::scan(text, {has_mark ? 3u : 0u, static_cast<std::uint32_t>(text.size())}, scanned, faults);
    std::uint32_t last = 0;
    for (const lang::Token& token : scanned.tokens) {
        require(token.begin >= last && token.begin <= token.end && token.end <= text.size(),
                "a token overlaps or leaves the text");
        last = token.end;
    }
    if (!faults.empty())
        return;
    const std::vector<lang::ReferenceToken> expected = lang::reference_tokens(text);
    require(expected.size() == scanned.tokens.size(), "as many tokens as the grammar says");
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const lang::Token& ours = scanned.tokens[i];
        const std::string word = text.substr(ours.begin, ours.end - ours.begin);
        require(static_cast<std::size_t>(ours.kind) == expected[i].kind && word == expected[i].text,
                cat("the scanner says '", word, "', the grammar '", expected[i].text, "'"));
    }
}

} // namespace hidet::fuzz
