// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"

namespace hidet::lsp {

namespace {

// Themes know these names; the modifiers from `kernel` on are ours, for whoever wants to colour them.
enum Type { Namespace, TypeName, Function, Variable, Parameter, Property, Decorator, type_count };
constexpr const char* type_names[type_count] = {"namespace", "type",     "function", "variable",
                                                "parameter", "property", "decorator"};
enum Modifier { Readonly, DefaultLibrary, Kernel, Device, Global, Shared, Register, Unresolved, modifier_count };
constexpr const char* modifier_names[modifier_count] = {"readonly", "defaultLibrary", "kernel",   "device",
                                                        "global",   "shared",         "register", "unresolved"};

struct TokenStyle {
    int type = 0;      // index in the legend
    int modifiers = 0; // bits, likewise
};

TokenStyle with(Type type, Modifier modifier) {
    return {type, 1 << modifier};
}

// Semantic kinds as the protocol's types and modifiers of tokens.
TokenStyle style_of(assist::SemanticKind kind) {
    using assist::SemanticKind;
    switch (kind) {
    case SemanticKind::HostValue: return {Variable, 0};
    case SemanticKind::ScriptValue: return with(Variable, Device);
    case SemanticKind::Parameter: return {Parameter, 0};
    case SemanticKind::Function: return {Function, 0};
    case SemanticKind::Kernel: return with(Function, Kernel);
    case SemanticKind::Type: return {TypeName, 0};
    case SemanticKind::Module: return {Namespace, 0};
    case SemanticKind::Primitive:
    case SemanticKind::Builtin: return with(Function, DefaultLibrary);
    case SemanticKind::GlobalTensor: return with(Variable, Global);
    case SemanticKind::SharedTensor: return with(Variable, Shared);
    case SemanticKind::RegisterTensor: return with(Variable, Register);
    case SemanticKind::Attribute: return {Property, 0};
    case SemanticKind::Decorator: return {Decorator, 0};
    case SemanticKind::Constant: return with(Variable, Readonly);
    case SemanticKind::Unresolved: return with(Variable, Unresolved);
    }
    return {Variable, 0};
}

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

Json token_legend() {
    return {{"tokenTypes", type_names}, {"tokenModifiers", modifier_names}};
}

Json semantic_tokens(const Question& question) {
    return tokens_in(question, {0, question.document->text.size()});
}

Json semantic_tokens_range(const Question& question) {
    return tokens_in(question, question.places().range_at(question.params, "/range"));
}

} // namespace hidet::lsp
