// SPDX-License-Identifier: Apache-2.0
// What compiled code found wrong, in the words of the emulator.
#pragma once

#include "lang/base/diagnostic.h"
#include "runtime/cpu/library.h"

namespace hidet::session {

// `checks` are those of the source that the code was compiled from; `site` is where `function` was called.
Diagnostic native_finding(const cpu::CallFailure& failure, const std::vector<artifact::RuntimeCheck>& checks,
                          const std::string& function, Span site);

} // namespace hidet::session
