// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"
#include "app/lsp/features/token_legend.h"

namespace hidet::lsp {

namespace {

// Five numbers for each: lines and columns since the one before, its length, type and modifiers.
Json tokens_in(const Question& question, assist::Range range) {
    const IndexedText& text = question.document->text;
    const Encoding encoding = question.client().encoding;
    Json data = Json::array();
    Position last;
    for (const assist::SemanticToken& token : assist::semantic_tokens(question.answers())) {
        if (token.range.end <= range.begin || token.range.begin >= range.end)
            continue;
        Position begin = text.position(token.range.begin, encoding), end = text.position(token.range.end, encoding);
        if (end.line != begin.line)
            continue;
        TokenStyle style = style_of(token.kind);
        data.push_back(begin.line - last.line);
        data.push_back(begin.line == last.line ? begin.character - last.character : begin.character);
        data.push_back(end.character - begin.character);
        data.push_back(style.type);
        data.push_back(style.modifiers);
        last = begin;
    }
    return {{"data", std::move(data)}};
}

} // namespace

Json semantic_tokens(const Question& question) {
    return tokens_in(question, {0, question.document->text.size()});
}

Json semantic_tokens_range(const Question& question) {
    return tokens_in(question, question.places().range_at(question.params, "/range"));
}

} // namespace hidet::lsp
