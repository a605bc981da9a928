// SPDX-License-Identifier: Apache-2.0
// The findings of runtime/toolchain/sass, folded back to the lines of the script.
#pragma once

#include "app/session/snapshot/machine.h"
#include "runtime/toolchain/toolchain.h"

namespace hidet::session {

// `text` is the listing with the places that its lines came from.
MachineSnapshot machine_of(const toolchain::Disassembly& code, const TextSnapshot& text, int capability);

// For each line of the listing how its instruction is scheduled, "B01---- R- W2 - S05 a--"; empty: no instruction.
std::vector<std::string> controls_of(const toolchain::Disassembly& code);

} // namespace hidet::session
