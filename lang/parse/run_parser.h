// SPDX-License-Identifier: Apache-2.0
// The generated parser over a vector of tokens. Only run_parser.cpp includes ANTLR.
#pragma once

#include "lang/parse/builder_state.h"

namespace hidet::lang {

// Leaves the statements of the file on the state's stack. Faults of lines that have none yet are reported.
void run_parser(BuilderState& state);

} // namespace hidet::lang
