// SPDX-License-Identifier: Apache-2.0
// From text to syntax tree, for preview and run alike.
#pragma once

#include <string>
#include <vector>

#include "app/session/work/work.h"
#include "lang/ast/ast.h"

namespace hidet::session {

// Adds the source to the work's map and parses it. Calls of kernel factories become '# studio:' comments behind the
// script's last line, which is where the evaluator finds those that the script itself has.
lang::ast::Module parse_script(Work& work, const Source& source, const std::vector<std::string>& calls);

} // namespace hidet::session
