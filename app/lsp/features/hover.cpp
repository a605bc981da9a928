// SPDX-License-Identifier: Apache-2.0
// What is under the pointer, and below it what the manual says of the word.
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"
#include "app/lsp/features/markdown.h"
#include "app/session/live/manual.h"
#include "lang/base/text.h"

namespace hidet::lsp {

namespace {

constexpr std::size_t most_rows = 8, most_manual_bytes = 6000;

void add_row(std::string& out, const char* name, const std::string& value, bool markdown) {
    if (value.empty())
        return;
    out += markdown ? cat("- ", name, ": `", value, "`\n") : cat(name, ": ", value, "\n");
}

std::string facts_of(const assist::Card& card, bool markdown) {
    std::string out = markdown ? cat("```python\n", card.title, "\n```\n") : card.title + "\n";
    std::string rows;
    add_row(rows, "shape", card.shape, markdown);
    add_row(rows, "layout", card.layout, markdown);
    add_row(rows, "scope", card.scope, markdown);
    add_row(rows, "takes", card.bytes, markdown);
    add_row(rows, "value", card.value, markdown);
    if (!rows.empty())
        out += cat("\n", rows);
    if (!card.documentation.empty())
        out += cat("\n", card.documentation, "\n");
    return out;
}

} // namespace

Json hover(const Question& question) {
    const bool markdown = question.client().shows_markdown;
    const std::uint32_t offset = question.offset();
    assist::Card card = assist::hover(question.answers(), offset);
    std::string text = card.known() ? facts_of(card, markdown) : "";
    assist::ManualPlace place = assist::manual_at(question.answers(), offset);
    if (place.known() && markdown) {
        text += text.empty() ? "" : "\n---\n\n";
        text += shortened_section(assist::manual_section(place, most_rows), most_manual_bytes);
    }
    if (text.empty())
        return nullptr;
    Json out = {{"contents", {{"kind", markdown ? "markdown" : "plaintext"}, {"value", std::move(text)}}}};
    if (card.known())
        out["range"] = question.places().json(card.range);
    return out;
}

} // namespace hidet::lsp
