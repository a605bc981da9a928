// SPDX-License-Identifier: Apache-2.0
// Which blocks of a kernel run at the same time, and how much of what they read they share in the second-level cache.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "compiler/perf/kernel_cost.h"

namespace hidet::perf {

// What the blocks of one wave touch of a tensor.
struct WaveOperand {
    std::string tensor;
    std::string direction;   // "read", "written", "read and written"
    double requested = 0;    // bytes: of each block each sector once
    double distinct = 0;     // of all blocks of the wave
    bool is_at_most = false; // data decides about some of them
};

struct WaveView {
    std::int64_t number = 0; // from 1 on
    std::int64_t blocks = 0; // with work
    std::vector<WaveOperand> operands;
    double requested = 0, distinct = 0; // of all operands
    double reused = 0;                  // of what is distinct, what the wave before left in the second-level cache
    double hits = 0;                    // the share of reads that the second-level cache can serve, 0 to 1
};

// Which blocks run together: as many as the GPU holds, by their numbers, if all take equally long.
struct WavesView {
    std::string unknown;                           // why there are none; empty: there are
    std::int64_t resident = 0;                     // blocks that the GPU holds at a time
    std::int64_t multiprocessors = 0, of_each = 0; // those are the product
    std::int64_t blocks = 0;                       // of the grid
    std::string rounds_of;                         // the loop over tiles of blocks that stay; empty: each block has one
    std::int64_t count = 0;                        // of waves, or of turns of that loop
    double last = 0;                               // the share of them with work in the last one, 0 to 1
    double lost = 0;                               // the share of the time in which multiprocessors stand idle for that
    std::optional<double> lost_seconds;            // of the predicted time
    std::int64_t l2_bytes = 0;
    std::string grid_of; // the tensor whose tiles `grid` shows; empty: blocks, by blockIdx.y and blockIdx.x
    std::int64_t rows = 0, columns = 0; // of all tiles
    std::vector<std::vector<std::int64_t>>
        grid;                           // the wave of each tile, the first rows and columns; 0: none of those shown
    std::vector<WaveView> waves;        // the first ones and the last
    std::vector<std::string> left_out;  // tensors whose addresses depend on data
    double requested = 0, distinct = 0; // of the waves shown
    double hits = 0;                    // of their reads
};

// A range with a step is a loop that counts its trips, which lowering calls so.
std::string name_of_loop(const std::string& variable);

// `script`: the module as the script made it, which knows the shapes of tensors.
WavesView waves_of(const ir::Module& module, const ir::Function& kernel, const ir::Module& script,
                   const SymbolValues& sizes, const artifact::TargetSpec& target, const KernelCost& cost,
                   const std::atomic<bool>* cancelled);

} // namespace hidet::perf
