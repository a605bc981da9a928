// SPDX-License-Identifier: Apache-2.0
// What the verbs that show a script's modules have in common: check, lower, emit.
#pragma once

#include <atomic>
#include <string>

#include "app/cli/options.h"
#include "app/session/session.h"

namespace hidet::cli {

session::PreviewRequest preview_request(const Options& options, session::Source source,
                                        const std::atomic<bool>& cancelled);
int report_preview(const Options& options, const session::PreviewResult& result); // the exit code

// A script that builds nothing has nothing to show, which is a mistake when one asked to see it.
void require_modules(const Options& options, session::PreviewResult& result);

std::string body_of(const Options& options, const session::TextSnapshot& text); // with origins where they are asked for
std::string heading_of(const session::ModuleSnapshot& module, std::size_t count, const char* comment);

} // namespace hidet::cli
