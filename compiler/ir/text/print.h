// SPDX-License-Identifier: Apache-2.0
// The textual form of IR: deterministic, unique names per function, and read back by parse_text.h: parse(print(m)) == m.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/func.h"

namespace hidet::ir {

struct PrintedText {
    std::string text;
    std::vector<Origin> line_origins; // for each line (0-based) the origin of what stands there
    // In the order of the text; neighbours of one origin are one. The origin is that of the innermost expression that is
    // known, or else of the statement. A variable has that of what it stands in; its own is where it was defined.
    std::vector<TokenOrigin> tokens;
    // The variables of each function that no person named, "f: i_base, x; g: y": passes inline these alone. Where a comment
    // before a module says them, who reads it knows them again.
    std::string temporaries;
};
inline constexpr std::string_view temporaries_mark = "temporaries: ";

PrintedText print_module(const Module& module);
PrintedText print_function(const Function& function);
std::string to_string(const NodeRef& node); // any node, one line for expressions and types

} // namespace hidet::ir
