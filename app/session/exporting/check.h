// SPDX-License-Identifier: Apache-2.0
// A program that calls exported functions on stored inputs, and compares what they write with stored results.
#pragma once

#include <string>
#include <vector>

#include "app/session/exporting/recorded_call.h"

namespace hidet::session {

// check.c, and the files below data/ that it reads; functions whose call is missing are left out.
void add_check(ExportWork& out, const ExportedProgram& program, const std::vector<RecordedCall>& calls);

} // namespace hidet::session
