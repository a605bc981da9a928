// SPDX-License-Identifier: Apache-2.0
// Cures of accesses that a loop around them walks along memory while the lanes of a warp do not.
#pragma once

#include "app/session/explain/script_lines.h"

namespace hidet::session {

// What a thread takes element by element, in one piece; by turns with its neighbours; or by a mapping whose workers count along the
// other dimension. Guesses from the text, the better ones first.
std::vector<std::vector<FixView>> loop_fixes(const ScriptLines& script, const AccessView& view,
                                             const KernelText& kernel);

} // namespace hidet::session
