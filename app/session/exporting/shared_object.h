// SPDX-License-Identifier: Apache-2.0
// What the system's compiler makes of exported C and C++.
#pragma once

#include <optional>
#include <string>

#include "app/session/exporting/functions.h"

namespace hidet::session {

class ExportWork;

// Of C that is C++ too, for every x86-64 of the last ten years, with the program's functions of the CPU for each of its levels.
// It needs libc and libm alone; what the text only declares, whoever loads it brings, unless it has a name to be linked by
// ("libsoftmax.so"), which has everything. The program is told the compiler. Nothing: the reason is in the work's sink.
std::optional<std::string> shared_object_of(ExportWork& out, ExportedProgram& program, const std::string& text,
                                            const std::string& link_name = "");

} // namespace hidet::session
