// SPDX-License-Identifier: Apache-2.0
// What can be made smaller of a script beside leaving statements out, each alone: blocks take the place of their statements, parts that of
// their expressions, sizes are halved, arguments and parameters go.
#pragma once

#include <vector>

#include "app/session/reduce/script_text.h"

namespace hidet::session {

std::vector<Cut> part_cuts(const ScriptText& script); // what removes most first

} // namespace hidet::session
