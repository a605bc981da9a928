// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace hidet::artifact {

// Whether a text says of itself that it is a launch plan (launch_plan.h).
bool is_plan_json(const std::string& text);

} // namespace hidet::artifact
