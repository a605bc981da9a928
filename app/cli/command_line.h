// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/verbs.h"

namespace hidet::cli {

// Reads the arguments. Returns true when there is a verb to run; otherwise `exit` is how to end.
bool read_command_line(int argc, char** argv, Action& chosen, int& exit);

} // namespace hidet::cli
