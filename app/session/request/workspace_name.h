// SPDX-License-Identifier: Apache-2.0
// Workspaces of the desktop program: files that say what is open in it. All front ends know them by their names.
#pragma once

#include <string_view>

namespace hidet::session {

inline constexpr std::string_view workspace_suffix = "hidet-workspace";

inline bool is_workspace_file(std::string_view path) {
    const std::size_t at = path.size() - workspace_suffix.size() - 1;
    return path.size() > workspace_suffix.size() + 1 && path[at] == '.' && path.substr(at + 1) == workspace_suffix;
}

} // namespace hidet::session
