// SPDX-License-Identifier: Apache-2.0
// The textual form of IR: deterministic, unique names per function, and read back by parse_text.h: parse(print(m)) == m.
#pragma once

#include <string>

#include "compiler/ir/func.h"

namespace hidet::ir {

// For each line of the text (0-based) the origin of what stands there.
struct PrintedText {
    std::string text;
    std::vector<Origin> line_origins;
};

PrintedText print_module(const Module& module);
PrintedText print_function(const Function& function);
std::string to_string(const NodeRef& node); // any node, one line for expressions and types

} // namespace hidet::ir
