// SPDX-License-Identifier: Apache-2.0
// The tensors of a call as files, which whoever shows them reads in parts (../tensor): results need not travel.
#pragma once

#include <string>
#include <vector>

#include "app/session/kernel_bench/attempt.h"

namespace hidet::session {

struct CallTensors {
    const Callable& callable;
    const std::vector<compiler::ParameterAccess>& accesses;
    const Arguments& args;
    const std::vector<lang::TensorRef>& expected; // by argument; may be shorter
    const std::vector<Comparison>& comparisons;
    const std::vector<std::shared_ptr<const vm::OwnerMap>>& owners; // by argument; may be shorter
};

// Of every argument that is a tensor, as it is now, and of what it should be where that is known.
std::vector<SavedTensor> save_tensors(const std::string& folder, const CallTensors& call);

// Those of a block's memory: `tile` of kernel `f` is "tile of block (5, 0, 0) of f", in f.tile.block_5_0_0.npy; as it was at a
// finding "tile of block (5, 0, 0) of f, as of the finding at line 12", in f.tile.block_5_0_0.found.npy.
std::vector<SavedTensor> save_tiles(const std::string& folder, const std::vector<KernelTile>& tiles);

} // namespace hidet::session
