// SPDX-License-Identifier: Apache-2.0
// How long a launch will take, roughly, from its shape and its work. It ranks
// candidates so that few have to be compiled and measured; it is no promise of a time.
//
// The model: blocks run in waves of as many as fit on the machine. In a wave each block fetches what it reads, as fast as its
// bytes in flight hide the latency of memory (Little's law) and its share of the second-level cache allows, and computes at
// its multiprocessor's share of the peak, or as fast as its busiest unit allows where that is known; the slower of both, and a
// start and an end that nothing hides, is the wave's time.
// The whole takes at least what its bytes take from memory.
#pragma once

#include "compiler/artifact/target_spec.h"
#include "compiler/ir/func.h"

namespace hidet::perf {

struct OperatorWork {
    double flops = 0;
    double bytes = 0; // of all tensors, each once
    bool has_matrix_units = false;
};

// One launch of a kernel. `read_bytes` and `in_flight_bytes` are those of a block; 0: as much as the work has, or usual.
struct LaunchWork {
    double blocks = 1, threads = 1, cluster = 1;
    double shared = 0; // bytes of a block
    double read_bytes = 0;
    double in_flight_bytes = 0;
};
// Of one launch with what its units take; `cycles`: of a multiprocessor's busiest unit, for a block; `waiting_cycles`: that a
// block spends at barriers; `queue_seconds`: of the atomic operations on the most wanted word, one after the other.
struct UnitWork {
    double cycles = 0;
    double waiting_cycles = 0;
    double queue_seconds = 0;
};

// Seconds of one launch, at least those that the bytes of the work take.
double predict(const LaunchWork& launch, const OperatorWork& work, const artifact::TargetSpec& target,
               const UnitWork& units = {});

// Seconds of all launches of a module, whose blocks are said to read so many bytes from memory, and of those so many at the
// same time.
double predict(const ir::Module& module, double read_bytes, double in_flight_bytes, const OperatorWork& work,
               const artifact::TargetSpec& target);

} // namespace hidet::perf
