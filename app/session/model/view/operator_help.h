// SPDX-License-Identifier: Apache-2.0
// What an operator is, for who looks at a graph.
#pragma once

#include <optional>
#include <string>

namespace hidet::session {

struct OperatorHelp {
    std::string summary; // "Softmax along an axis": a sentence without its period
    std::string call;    // "hidet.ops.softmax(x, axis: int = -1)"; empty: scripts cannot call it
    std::string example; // a line of a script
};
std::optional<OperatorHelp> help_of_operator(const std::string& op); // nothing: a script defines it

} // namespace hidet::session
