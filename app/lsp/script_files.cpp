// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/script_files.h"

#include <filesystem>
#include <set>

namespace hidet::lsp {

namespace fs = std::filesystem;

namespace {

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

} // namespace

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

} // namespace hidet::lsp
