// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"

namespace hidet::lsp {

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

} // namespace hidet::lsp
