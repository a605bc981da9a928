// SPDX-License-Identifier: Apache-2.0
// What the instructions of kernels did, counted as the hardware counts: instructions by warp, accesses of a warp to global
// memory by the sectors of 32 bytes that they touch, to shared memory by wavefronts, of which each gives one word of 4 bytes
// of each of the 32 banks. Instructions are those of the emulator's bytecode: a GPU has others, and touches the same memory.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/artifact/warp_traffic.h"
#include "lang/base/origin.h"

namespace hidet::vm {

enum class WorkKind : std::uint8_t {
#define HIDET_WORK_KIND(name, word) name,
#include "runtime/vm/observe/work_kinds.def"
};
const char* word_of(WorkKind kind);

using artifact::Traffic;

struct Counters {
    std::uint64_t warps = 0;     // instructions: one for each warp with a running thread
    std::uint64_t threads = 0;   // that ran in them
    std::uint64_t flops = 0;     // of threads; a fused multiply-add counts two
    std::uint64_t branches = 0;  // of warps
    std::uint64_t divergent = 0; // of them, those after which threads of the warp part
    Traffic global, shared;

    void add(const Counters& other) {
        warps += other.warps, threads += other.threads, flops += other.flops;
        branches += other.branches, divergent += other.divergent;
        global.add(other.global), shared.add(other.shared);
    }
};

// One instruction of a kernel, in all its launches.
struct CountedInstruction {
    std::string kernel;
    Origin origin;
    WorkKind kind{};
    Counters counters;
};

} // namespace hidet::vm
