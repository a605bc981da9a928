// SPDX-License-Identifier: Apache-2.0
// Shared memory of emulated kernels as tensors, and the registers of their threads.
#pragma once

#include "app/session/execute/executor.h"
#include "runtime/vm/matrix/tiles.h"

namespace hidet::session {

// As the script declares them, which knows shapes and layouts: `script` as it made the module, `lowered` for the emulator. What
// neither declares is shown as bytes.
std::vector<KernelTile> tiles_of(const std::vector<vm::KeptTiles>& kept, const ir::Module& script,
                                 const ir::Module& lowered);

} // namespace hidet::session
