// SPDX-License-Identifier: Apache-2.0
// What this machine has of what the studio can use, and how to get the rest.
#pragma once

#include <string>
#include <vector>

#include "app/session/snapshot/outcome.h"
#include "app/session/tools/open_tools.h"
#include "compiler/artifact/target_spec.h"
#include "runtime/toolchain/cache.h"
#include "runtime/toolchain/locate.h"

namespace hidet::session {

struct ToolFact : toolchain::Finding {
    std::string serves; // "PTX and machine code for GPUs"
    bool usable = false;
};

struct GpuFact {
    bool usable = false;
    std::string name; // "NVIDIA H200"; where it is not usable, why
    std::string arch; // "sm_90a"
    int multiprocessors = 0;
    std::int64_t memory_bytes = 0;
};

// What keeps files of strangers from doing harm, where they are compiled and run.
struct SandboxFact {
    bool keeps_files = false; // from who may not see them; else limits alone hold
    std::string what;         // "files by Landlock 7, system calls by seccomp, limits of memory and time"
};

struct DoctorReport {
    std::vector<ToolFact> tools;
    GpuFact gpu;
    SandboxFact sandbox;
};

// What a machine is, as people read it.
struct MachineView {
    std::string id;   // "h100"; empty: a machine that is present
    std::string name; // "NVIDIA H100 SXM"
    std::vector<artifact::SpecRow> rows;
};
std::vector<MachineView> machines_here(Tools& tools); // the CPU, measured in some 200 ms, and the GPU if there is one
std::vector<MachineView> known_machines();            // of the table

// The cache of compilations on disk.
struct CacheReport {
    std::string folder; // empty: there is none
    std::int64_t entries = 0;
    std::int64_t bytes = 0;
    std::int64_t limit = 0;
    toolchain::SharedCounts shared;
};
CacheReport cache_report(Tools& tools);
struct CacheCleared : Outcome {
    std::int64_t entries = 0;
    std::int64_t bytes = 0;
};
CacheCleared clear_cache(Tools& tools);

// Loads libraries and starts programs to ask for their versions: some hundred milliseconds.
DoctorReport examine(Tools& tools);

} // namespace hidet::session
