// SPDX-License-Identifier: Apache-2.0
// What the verbs that show a script's modules have in common: check, lower, emit.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "app/cli/options.h"
#include "app/session/session.h"

namespace hidet::cli {

// Fills in what is not said by options; the exit code as that of open_source().
int open_preview(const SourceOptions& source, const std::atomic<bool>& cancelled, session::PreviewRequest& request);
// IR has no factories that could be called: else reported as wrong usage.
bool are_calls_of_script(const std::vector<std::string>& calls, const session::Source& source);
int report_preview(const SourceOptions& options, const session::PreviewResult& result); // the exit code

// A script that builds nothing has nothing to show, which is a mistake when one asked to see it.
void require_modules(const std::string& file, const char* verb, int modules_built, session::Outcome& result);

std::string body_of(bool with_lines, const session::TextSnapshot& text); // with the origin of each line, or without
std::string heading_of(const session::ModuleSnapshot& module, std::size_t count, const char* comment);

} // namespace hidet::cli
