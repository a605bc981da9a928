// SPDX-License-Identifier: Apache-2.0
// What '--arch' names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/work/work.h"
#include "compiler/artifact/target_spec.h"

namespace hidet::session {

// Each once; nothing: one of the names is that of no GPU, which is wrong usage.
std::optional<std::vector<artifact::TargetSpec>> named_gpus(Work& work, const std::vector<std::string>& names);

} // namespace hidet::session
