// SPDX-License-Identifier: Apache-2.0
// A graph in a file: an archive as packages are, of its document (compiler/graph/document) and of the weights that do not stand in
// that. It holds no machine code.
#pragma once

#include <string>
#include <string_view>

#include "compiler/graph/script/traced_graph.h"
#include "lang/base/result.h"

namespace hidet::session {

inline constexpr std::string_view graph_member = "graph.json"; // the first one

// What the archive's first member is called; empty where there is no archive.
std::string first_member_of(const std::string& path);

// "graph-not-saved": an operator that the script defines has no text of its own. Else those of write_archive().
Result<void> write_graph_file(const std::string& path, const graph::ScriptGraph& graph);
// "document-broken", or those of read_file(). The partition of one that was optimised is empty.
Result<graph::ScriptGraph> read_graph_file(const std::string& path);

} // namespace hidet::session
