// SPDX-License-Identifier: Apache-2.0
// lower --diff: what the passes changed between two places of the pipeline.
#pragma once

#include <string>
#include <vector>

#include "app/session/session.h"

namespace hidet::cli {

// Names that are no passes are a wrong usage.
void require_passes(const std::vector<std::string>& names, session::PreviewResult& result);

// Unified text; empty where nothing changed.
int number_of_pass(const session::ModuleSnapshot& module, const std::string& name);
std::string pass_diff(const std::vector<std::string>& names, const session::ModuleSnapshot& module);

} // namespace hidet::cli
