// SPDX-License-Identifier: Apache-2.0
// Edits of several files in one answer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/lsp/workspace.h"

namespace hidet::lsp {

Json workspace_edit(Workspace& workspace, const std::map<std::string, std::vector<assist::Edit>>& edits_by_path);

} // namespace hidet::lsp
