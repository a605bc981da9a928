// SPDX-License-Identifier: Apache-2.0
// What the system's compiler makes of exported C.
#pragma once

#include <optional>
#include <string>

namespace hidet::session {

class ExportWork;

// Of C that is C++ too, for every x86-64 of the last ten years. It needs libc and libm alone; what the text only declares, whoever
// loads it brings. Nothing: the reason is in the work's sink.
std::optional<std::string> shared_object_of(ExportWork& out, const std::string& text);

} // namespace hidet::session
