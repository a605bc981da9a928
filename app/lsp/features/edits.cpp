// SPDX-License-Identifier: Apache-2.0
// Changes of texts: formatting and other names.
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"

namespace hidet::lsp {

static Json edits_or_refusal(const Question& question, const assist::Formatting& formatting) {
    if (!formatting.refusal.empty())
        throw RequestError(ErrorCode::RequestFailed, formatting.refusal);
    return question.places().json(formatting.edits);
}

Json formatting(const Question& question) {
    return edits_or_refusal(question, assist::format(question.answers()));
}

Json range_formatting(const Question& question) {
    assist::Range range = question.places().range_at(question.params, "/range");
    return edits_or_refusal(question, assist::format_range(question.answers(), range));
}

Json rename(const Question& question) {
    std::string name = text_at(question.params, "/newName");
    assist::FolderRenaming renaming =
        assist::rename_in_folder(question.answers(), question.offset(), name, *question.workspace.buffers());
    if (!renaming.refusal.empty())
        throw RequestError(ErrorCode::RequestFailed, renaming.refusal);
    return workspace_edit(question.workspace, renaming.edits);
}

Json prepare_rename(const Question& question) {
    assist::Renamable found = assist::renamable(question.answers(), question.offset());
    if (!found.refusal.empty())
        throw RequestError(ErrorCode::RequestFailed, found.refusal);
    return question.places().json(found.range);
}

Json workspace_edit(Workspace& workspace, const std::map<std::string, std::vector<assist::Edit>>& edits_by_path) {
    Json versioned = Json::array(), plain = Json::object();
    for (const auto& [path, edits] : edits_by_path) {
        const OpenDocument* open = workspace.find_path(path);
        const IndexedText text = workspace.text_of(path);
        Json list = Places{text, workspace.client.encoding}.json(edits);
        Json document = {{"uri", workspace.uri_of(path)}, {"version", nullptr}};
        if (open && open->version)
            document["version"] = *open->version;
        plain[workspace.uri_of(path)] = list;
        versioned.push_back({{"textDocument", std::move(document)}, {"edits", std::move(list)}});
    }
    if (workspace.client.takes_versions)
        return {{"documentChanges", std::move(versioned)}};
    return {{"changes", std::move(plain)}};
}

} // namespace hidet::lsp
