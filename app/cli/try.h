// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/session/trial/trial.h"

namespace hidet::cli {

// The JSON document of 'hidetc try'.
std::string json_of(const session::TrialResult& result, const std::string& output);

} // namespace hidet::cli
