// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/features/features.h"

#include <nlohmann/json.hpp>

namespace hidet::lsp {

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
