// SPDX-License-Identifier: Apache-2.0
// The scripts below the folders that a client has open.
#pragma once

#include <string>
#include <vector>

#include "app/lsp/workspace.h"

namespace hidet::lsp {

struct ScriptFile {
    std::string path;
    std::vector<assist::OutlineNode> outline;
};

// Open documents before files; a file is read again when it has changed. Large trees are looked through in part.
std::vector<ScriptFile> script_files(Workspace& workspace);

} // namespace hidet::lsp
