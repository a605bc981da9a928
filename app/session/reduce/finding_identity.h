// SPDX-License-Identifier: Apache-2.0
// What has to be the same of two findings for them to be one.
#pragma once

#include <string>
#include <string_view>

#include "app/session/kernel_bench/run.h"

namespace hidet::session {

// A message without what changes with the size of a script: numbers, shapes, threads, how often, what was meant.
std::string message_kind(std::string_view message);

// `script` is the text that the diagnostic is about; `run` is null where nothing ran.
std::string finding_identity(const DiagnosticView& finding, std::string_view script, const RunResult* run);

} // namespace hidet::session
