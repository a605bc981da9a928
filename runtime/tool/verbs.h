// SPDX-License-Identifier: Apache-2.0
// What the tool does. Each prints to standard output, or stops.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/tool/arguments.h"

namespace hidet::tool {

void describe(const Arguments& arguments);
void verify(const Arguments& arguments);
void run(const Arguments& arguments);
void time(const Arguments& arguments);

void print(const std::string& text); // a line
void print(const nlohmann::json& document);

} // namespace hidet::tool
