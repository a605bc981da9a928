// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lang/parse/token.h"
#include "lang/service/document.h"
#include "lang/service/text_walk.h"

namespace hidet::lang::service {

static Range word_around(const std::string& text, std::uint32_t offset) {
    Range out{offset, offset};
    while (out.begin > 0 && is_word(text[out.begin - 1]))
        --out.begin;
    while (out.end < text.size() && is_word(text[out.end]))
        ++out.end;
    return out;
}

Completions completions(const Document& document, std::uint32_t offset) {
    return quietly<Completions>([&] {
        Completions out;
        offset = document.clamp(offset);
        out.replaced = word_around(document.text, offset);
        std::string_view typed =
            std::string_view(document.text).substr(out.replaced.begin, offset - out.replaced.begin);
        for (int kind = static_cast<int>(Tok::FALSE); kind <= static_cast<int>(Tok::YIELD); ++kind) {
            std::string word(spelling(static_cast<Tok>(kind)));
            if (auto match = fuzzy_score(typed, word))
                out.items.push_back({word, word, ItemKind::Keyword, "", "", match->matches, match->score});
        }
        std::stable_sort(out.items.begin(), out.items.end(),
                         [](const Completion& a, const Completion& b) { return a.score > b.score; });
        return out;
    });
}

Card hover(const Document&, std::uint32_t) {
    return {};
}
SignatureHelp signature_help(const Document&, std::uint32_t) {
    return {};
}
Location definition(const Document&, std::uint32_t) {
    return {};
}
std::vector<Use> references(const Document&, std::uint32_t) {
    return {};
}
Renaming rename(const Document&, std::uint32_t, std::string_view) {
    return {{}, "there is no name here"};
}
std::vector<OutlineNode> outline(const Document&) {
    return {};
}
std::vector<Crumb> breadcrumb(const Document&, std::uint32_t) {
    return {};
}
std::vector<FoldingRange> folding_ranges(const Document&) {
    return {};
}
std::vector<SemanticToken> semantic_tokens(const Document&) {
    return {};
}

} // namespace hidet::lang::service
