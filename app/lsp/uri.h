// SPDX-License-Identifier: Apache-2.0
// Addresses of documents and paths of files.
#pragma once

#include <string>
#include <string_view>

namespace hidet::lsp {

// "/home/me/a b.py" of "file:///home/me/a%20b.py"; empty: no file.
std::string path_of_uri(std::string_view uri);
std::string uri_of_path(std::string_view path);

} // namespace hidet::lsp
