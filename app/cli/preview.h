// SPDX-License-Identifier: Apache-2.0
// What the verbs that show a script's modules have in common: check, lower, emit.
#pragma once

#include <atomic>
#include <string>

#include "app/cli/options.h"
#include "app/session/session.h"

namespace hidet::cli {

session::PreviewRequest preview_request(const SourceOptions& source_options, const PreviewOptions& options,
                                        session::Source source, const std::atomic<bool>& cancelled);
void select(const TextOptions& options, session::PreviewRequest& request);              // one function, one pass
int report_preview(const SourceOptions& options, const session::PreviewResult& result); // the exit code

// A script that builds nothing has nothing to show, which is a mistake when one asked to see it.
void require_modules(const std::string& file, const char* verb, session::PreviewResult& result);

std::string body_of(bool with_lines, const session::TextSnapshot& text); // with the origin of each line, or without
std::string heading_of(const session::ModuleSnapshot& module, std::size_t count, const char* comment);

} // namespace hidet::cli
