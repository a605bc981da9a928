// SPDX-License-Identifier: Apache-2.0
// What a kernel costs at its launch, before anything runs: its work and its bytes, the units that they keep busy, the roofs,
// the occupancy, and the time that all of it makes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/access/access_map.h"
#include "compiler/perf/occupancy.h"
#include "compiler/perf/pipes.h"
#include "compiler/perf/roofs.h"
#include "lang/base/source.h"

namespace hidet::perf {

// The cost of a kernel at its launch. What is not known says why.
struct KernelCost {
    std::vector<std::int64_t> grid, block;
    std::optional<double> flops;
    std::string flops_unknown;
    bool flops_at_most = false, flops_sampled = false;  // the latter: of some blocks, for all
    double requested_bytes = 0;                         // by lanes, of global memory
    double sector_bytes = 0;                            // that move for them
    double unique_bytes = 0;                            // of its arguments that are read or written, each once
    double shared_bytes = 0;                            // requested of shared memory
    std::string bytes_unknown;                          // accesses that are not counted; empty: none
    std::optional<double> intensity;                    // FLOP/byte of unique_bytes
    std::int64_t static_shared = 0, dynamic_shared = 0; // bytes of a block
    std::optional<Occupancy> occupancy;
    double waves = 0, tail = 0; // the share of the last wave that is idle, 0 to 1
    double predicted_seconds = 0;
    // Of them, what goes if shared memory let as many blocks run beside each other as threads do; if the work were spread over all
    // multiprocessors; if no atomic operation waited for another.
    double occupancy_seconds = 0, idle_seconds = 0, queue_seconds = 0;
    std::vector<std::string>
        at_least; // what counts once or not at all, so that it takes at least that long: "the while loop in line 7"
    std::vector<Pipe> pipes;       // of one block; the busiest first
    Roofline roofline;             // the point is the predicted one
    std::optional<double> of_roof; // what the roof allows over what is predicted, 0 to 1; nothing where that is not all
};

// A kernel of a module that was lowered for the emulator, and with what it is launched.
struct CostedKernel {
    const ir::Module* module = nullptr;
    const ir::Function* kernel = nullptr;
    const SymbolValues* sizes = nullptr;
    std::vector<double> tensors; // bytes behind each parameter that says none; 0: not known
    const SourceMap* sources = nullptr;
};
KernelCost cost_of(const CostedKernel& of, const artifact::TargetSpec& target,
                   const std::vector<compiler::access::Access>& accesses);
std::int64_t tensor_bytes(const ir::TensorType& tensor, const SymbolValues& sizes);

// What a block takes, as far as that is known without a compiler.
BlockNeeds needs_of(const KernelCost& cost);
void set_occupancy(const artifact::TargetSpec& target, const BlockNeeds& needs, KernelCost& out);

} // namespace hidet::perf
