// SPDX-License-Identifier: Apache-2.0
// Lines of the script beside what tables say of them.
#pragma once

#include <string>

#include "app/session/session.h"

namespace hidet::cli {

// "12", "other.py:3", "?"
std::string place_text(const std::string& script, const session::Place& place);
std::string place_text(const session::Source& script, const session::Place& place);
std::string line_text(const session::Source& script, const session::Place& place); // "": of another file

} // namespace hidet::cli
