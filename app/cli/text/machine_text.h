// SPDX-License-Identifier: Apache-2.0
// What machine code says of itself, as tables.
#pragma once

#include <string>

#include "app/session/session.h"
#include "app/session/snapshot/machine.h"

namespace hidet::cli {

// At most so many rows of a table; 0: all of them.
std::string machine_text(const session::FormSnapshot& sass, const session::Source& script, std::size_t rows);

// The listing with the control of each instruction before it.
std::string with_controls(const session::TextSnapshot& text);

} // namespace hidet::cli
