// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"

namespace hidet::lsp {

namespace {

Json tree(const Question& question, const std::vector<assist::OutlineNode>& nodes) {
    Json out = Json::array();
    for (const assist::OutlineNode& node : nodes) {
        Json made = {{"name", node.name},
                     {"kind", symbol_kind(node.kind)},
                     {"range", question.places().json(node.range)},
                     {"selectionRange", question.places().json(node.name_range)}};
        if (!node.detail.empty())
            made["detail"] = node.detail;
        if (!node.children.empty())
            made["children"] = tree(question, node.children);
        out.push_back(std::move(made));
    }
    return out;
}

void list(const Question& question, const std::vector<assist::OutlineNode>& nodes, const std::string& owner,
          Json& out) {
    for (const assist::OutlineNode& node : nodes) {
        Json location = {{"uri", question.document->uri}, {"range", question.places().json(node.range)}};
        Json made = {{"name", node.name}, {"kind", symbol_kind(node.kind)}, {"location", std::move(location)}};
        if (!owner.empty())
            made["containerName"] = owner;
        out.push_back(std::move(made));
        list(question, node.children, node.name, out);
    }
}

} // namespace

int symbol_kind(assist::OutlineKind kind) {
    using assist::OutlineKind;
    switch (kind) {
    case OutlineKind::Imports: return 2;
    case OutlineKind::Function:
    case OutlineKind::Kernel: return 12;
    case OutlineKind::Class: return 5;
    case OutlineKind::Variable: return 13;
    case OutlineKind::Tensor: return 18;
    case OutlineKind::Loop:
    case OutlineKind::With: return 3;
    }
    return 13;
}

Json document_symbols(const Question& question) {
    std::vector<assist::OutlineNode> nodes = assist::outline(question.answers());
    if (question.client().nests_symbols)
        return tree(question, nodes);
    Json out = Json::array();
    list(question, nodes, "", out);
    return out;
}

} // namespace hidet::lsp
