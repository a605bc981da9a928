// SPDX-License-Identifier: Apache-2.0
// Compiled C++ for programs of others: shared objects that need the C library and its mathematics (2.31 or
// newer) and nothing else.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/session/tools/tools.h"
#include "app/session/work/work.h"

namespace hidet::session {

extern const char* const stand_alone_text; // C++ that is part of such an object, without headers
inline constexpr std::array stand_alone_options = {"-static-libstdc++", "-static-libgcc",     "-Wl,--exclude-libs,ALL",
                                                   "-Wl,--gc-sections", "-Wl,-z,noexecstack", "-s"};

// Of object files for the processor (NativeOptions::is_part), which define nothing twice. Error codes: those of the compiler.
Result<std::string> linked_objects(Work& work, Tools& tools, std::vector<std::string> objects,
                                   const std::string& processor);

} // namespace hidet::session
