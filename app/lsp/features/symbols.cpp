// SPDX-License-Identifier: Apache-2.0
// Functions, kernels and classes of all scripts in the folders that the client has open, whether it shows them or not.
#include <algorithm>
#include <filesystem>
#include <set>

#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"

namespace hidet::lsp {

namespace fs = std::filesystem;

namespace {

// ---- the scripts below the folders that a client has open ----

struct ScriptFile {
    std::string path;
    std::vector<assist::OutlineNode> outline;
};

constexpr std::size_t most_files = 2000, most_entries = 50'000;

bool is_worth_a_look(const fs::path& folder) {
    const std::string name = folder.filename().string();
    return !name.starts_with(".") && name != "node_modules" && name != "__pycache__" && name != "build";
}

void find_scripts(const std::string& root, std::set<std::string>& out) {
    std::error_code error;
    std::size_t entries = 0;
    fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, error), end;
    for (; !error && at != end && out.size() < most_files && ++entries < most_entries; at.increment(error)) {
        std::error_code gone;
        if (at->is_directory(gone)) {
            if (!is_worth_a_look(at->path()))
                at.disable_recursion_pending();
        } else if (at->path().extension() == ".py") {
            out.insert(at->path().lexically_normal().string());
        }
    }
}

// What a file said when it was read last.
struct Kept {
    fs::file_time_type time;
    ScriptFile file;
};

const ScriptFile& read_file(const std::string& path, std::map<std::string, Kept>& kept) {
    std::error_code error;
    const fs::file_time_type time = fs::last_write_time(path, error);
    auto known = kept.find(path);
    if (known != kept.end() && known->second.time == time)
        return known->second.file;
    assist::DocumentRef document = assist::read_text(assist::text_of_file(path), path);
    return (kept[path] = {time, {path, assist::outline(*document)}}).file;
}

// Open documents before files; a file is read again when it has changed. Large trees are looked through in part.
std::vector<ScriptFile> script_files(Workspace& workspace) {
    static std::map<std::string, Kept> kept; // the server has one thread
    std::set<std::string> paths;
    for (const std::string& root : workspace.client.roots)
        find_scripts(root, paths);
    std::vector<ScriptFile> out;
    for (const auto& [uri, document] : workspace.documents()) {
        paths.erase(document->path);
        out.push_back({document->path, assist::outline(*assist::read_text(document->text.text(), document->path))});
    }
    for (const std::string& path : paths)
        out.push_back(read_file(path, kept));
    return out;
}

// ---- the symbols in them ----

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

// ---- of one script ----

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
