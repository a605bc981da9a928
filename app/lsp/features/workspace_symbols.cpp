// SPDX-License-Identifier: Apache-2.0
// Functions, kernels and classes of all scripts in the folders that the client has open, whether it shows them or not.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"
#include "app/lsp/script_files.h"

namespace hidet::lsp {

namespace {

constexpr std::size_t most_symbols = 500;

struct Found {
    int score = 0;
    std::string name;
    std::string container;
    assist::OutlineKind kind{};
    std::string path;
    assist::Range range;
};

bool is_symbol(assist::OutlineKind kind) {
    return kind == assist::OutlineKind::Function || kind == assist::OutlineKind::Kernel ||
           kind == assist::OutlineKind::Class;
}

void collect(const std::vector<assist::OutlineNode>& nodes, const std::string& container, const std::string& path,
             const std::string& query, std::vector<Found>& out) {
    for (const assist::OutlineNode& node : nodes) {
        auto match = is_symbol(node.kind) ? assist::fuzzy_score(query, node.name) : std::nullopt;
        if (match)
            out.push_back({match->score, node.name, container, node.kind, path, node.name_range});
        collect(node.children, is_symbol(node.kind) ? node.name : container, path, query, out);
    }
}

} // namespace

Json workspace_symbols(const Question& question) {
    const std::string query = text_at(question.params, "/query");
    std::vector<Found> found;
    for (const ScriptFile& file : script_files(question.workspace))
        collect(file.outline, "", file.path, query, found);
    std::ranges::stable_sort(found, std::ranges::greater(), &Found::score);
    found.resize(std::min(found.size(), most_symbols));
    Json out = Json::array();
    for (const Found& symbol : found) {
        const IndexedText text = question.workspace.text_of(symbol.path);
        Json location = {{"uri", question.workspace.uri_of(symbol.path)},
                         {"range", Places{text, question.client().encoding}.json(symbol.range)}};
        Json made = {{"name", symbol.name}, {"kind", symbol_kind(symbol.kind)}, {"location", std::move(location)}};
        if (!symbol.container.empty())
            made["containerName"] = symbol.container;
        out.push_back(std::move(made));
    }
    return out;
}

} // namespace hidet::lsp
