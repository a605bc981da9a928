// SPDX-License-Identifier: Apache-2.0
// What is shown beside a text: of what is under the pointer, with what the manual says of the word; the parameters of a
// call; types and names between the words.
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"
#include "app/session/live/manual.h"
#include "lang/base/text.h"

namespace hidet::lsp {

namespace {

// "[words](address)" at a place; empty: it is none, or leads out of the manual.
std::string words_of_link(const std::string& text, std::size_t at, std::size_t& end) {
    std::size_t middle = text.find("](", at);
    std::size_t line = text.find('\n', at);
    if (middle == std::string::npos || middle > line)
        return "";
    end = text.find(')', middle);
    if (end == std::string::npos || text.find("://", middle) < end)
        return "";
    ++end;
    return text.substr(at + 1, middle - at - 1);
}

std::string without_links(const std::string& text) {
    std::string out;
    bool is_code = false; // a block of it
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool begins_line = i == 0 || text[i - 1] == '\n';
        if (begins_line && text.compare(i, 3, "```") == 0)
            is_code = !is_code;
        std::size_t end = 0;
        std::string words = !is_code && text[i] == '[' ? words_of_link(text, i, end) : "";
        if (words.empty()) {
            out += text[i];
            continue;
        }
        out += words;
        i = end - 1;
    }
    return out;
}

// A section of the manual as an editor shows it in a small window: with plain words where links lead to other pages, and cut between paragraphs where it is longer than that.
std::string shortened_section(const std::string& section, std::size_t most_bytes) {
    std::string text = without_links(section);
    if (text.size() <= most_bytes)
        return text;
    std::string out;
    bool is_code = false;
    for (const std::string& line : split(text, '\n')) {
        bool is_full = line.empty() && !is_code && out.size() + 1 >= most_bytes / 2;
        if (is_full || out.size() + line.size() > most_bytes)
            break;
        if (line.starts_with("```"))
            is_code = !is_code;
        out += line + "\n";
    }
    return out + (is_code ? "```\n" : "") + "\n...\n";
}

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

Json signature_help(const Question& question) {
    assist::SignatureHelp help = assist::signature_help(question.answers(), question.offset());
    if (help.label.empty())
        return nullptr;
    IndexedText label(help.label); // offsets in labels are always UTF-16
    Json parameters = Json::array();
    for (const assist::SignatureParameter& parameter : help.parameters) {
        int begin = label.position(parameter.range.begin, Encoding::Utf16).character;
        int end = label.position(parameter.range.end, Encoding::Utf16).character;
        parameters.push_back({{"label", Json::array({begin, end})}});
    }
    Json signature = {{"label", help.label}, {"parameters", std::move(parameters)}};
    if (!help.documentation.empty())
        signature["documentation"] = {{"kind", "markdown"}, {"value", help.documentation}};
    Json out = {{"signatures", Json::array({signature})}, {"activeSignature", 0}};
    // None of them: an index behind the last one, as the protocol has it.
    out["activeParameter"] = help.active >= 0 ? help.active : static_cast<int>(help.parameters.size());
    return out;
}

Json inlay_hints(const Question& question) {
    constexpr int type_kind = 1;
    const assist::Range asked = question.places().range_at(question.params, "/range");
    Json out = Json::array();
    for (const assist::InlayHint& hint : assist::inlay_hints(question.answers())) {
        if (!asked.touches(hint.offset))
            continue;
        Json made = {{"position", json_of(question.document->text.position(hint.offset, question.client().encoding))},
                     {"label", hint.label}};
        if (hint.kind == assist::InlayHint::Kind::Type)
            made["kind"] = type_kind;
        else
            made["paddingLeft"] = true;
        out.push_back(std::move(made));
    }
    return out;
}

} // namespace hidet::lsp
