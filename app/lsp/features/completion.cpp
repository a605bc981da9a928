// SPDX-License-Identifier: Apache-2.0
// Completion. The sentences of documentation are sent for the candidate that is looked at; of the one that is taken the client
// tells by its command.
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"
#include "lang/base/text.h"

namespace hidet::lsp {

namespace {

constexpr std::size_t most_items = 400; // typing on asks again
constexpr const char* taken_command = "hidet.taken";

int kind_number(assist::ItemKind kind) {
    using assist::ItemKind;
    switch (kind) {
    case ItemKind::Keyword: return 14;
    case ItemKind::Variable:
    case ItemKind::LoopVariable:
    case ItemKind::Parameter:
    case ItemKind::Tensor: return 6;
    case ItemKind::Function:
    case ItemKind::Kernel:
    case ItemKind::Primitive:
    case ItemKind::Builtin: return 3;
    case ItemKind::Class:
    case ItemKind::Exception: return 7;
    case ItemKind::Type: return 22;
    case ItemKind::Module: return 9;
    case ItemKind::Attribute: return 10;
    case ItemKind::Method: return 2;
    case ItemKind::Argument: return 5;
    case ItemKind::Constant: return 21;
    case ItemKind::Snippet: return 15;
    }
    return 1;
}

// The order is that of the list: clients sort by this text.
std::string order_text(std::size_t index) {
    std::string digits = cat(index);
    return std::string(6 - digits.size(), '0') + digits;
}

// Clients keep those that fit what is typed on; what is asked for by another name than its own must stay.
Json item_json(const Question& question, const assist::Completion& item, assist::Range replaced, std::size_t index) {
    Places places = question.places();
    Json out = {{"label", item.label}, {"kind", kind_number(item.kind)}, {"sortText", order_text(index)}};
    if (!item.detail.empty())
        out["detail"] = item.detail;
    out["textEdit"] = {{"range", places.json(replaced)}, {"newText", item.insert}};
    if (item.is_snippet)
        out["insertTextFormat"] = 2;
    if (!item.edits.empty())
        out["additionalTextEdits"] = places.json(item.edits);
    out["command"] = {{"title", "Remember"}, {"command", taken_command}, {"arguments", Json::array({item.label})}};
    if (!item.documentation.empty())
        out["data"] = {{"documentation", item.documentation}};
    return out;
}

} // namespace

Json completion(const Question& question) {
    assist::CompletionOptions options;
    options.snippets = question.client().takes_snippets;
    options.unimported = true;
    options.taken = &question.workspace.taken;
    assist::Completions list = assist::completions(question.answers(), question.offset(), options);
    Json items = Json::array();
    for (std::size_t i = 0; i < list.items.size() && i < most_items; ++i)
        items.push_back(item_json(question, list.items[i], list.replaced, i));
    return {{"isIncomplete", true}, {"items", std::move(items)}}; // what is typed changes the order
}

Json completion_resolve(const Question& question) {
    Json item = question.params;
    if (const Json* words = find(item, "/data/documentation"); words && words->is_string())
        item["documentation"] = {{"kind", "markdown"}, {"value", *words}};
    return item;
}

Json execute_command(const Question& question) {
    const Json *command = find(question.params, "/command"), *given = find(question.params, "/arguments");
    const bool has_name = given && given->is_array() && !given->empty() && given->front().is_string();
    if (!command || *command != taken_command || !has_name)
        throw RequestError(ErrorCode::InvalidParams, cat("the one command is '", taken_command, "', with a name"));
    const auto name = given->front().get<std::string>();
    question.workspace.taken.take(name);
    question.workspace.taken_file.add(name);
    return nullptr;
}

} // namespace hidet::lsp
