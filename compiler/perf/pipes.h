// SPDX-License-Identifier: Apache-2.0
// What the units of a multiprocessor take for the work of a block. Wavefronts of shared memory and requests to global memory
// go through one of them, which serves 128 bytes a cycle: a bank conflict holds up both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/target_spec.h"
#include "compiler/perf/work.h"

namespace hidet::perf {

enum class PipeKind : std::uint8_t { Matrix, Arithmetic, Special, Memory, Queue, Device };
inline constexpr std::size_t pipe_count = 6;
const char* pipe_name(PipeKind pipe); // "matrix units"

constexpr double sectors_a_cycle = 4; // of a multiprocessor: a line of 128 bytes
// Of the unit for memory, for so many requests of warps that move so many sectors or wavefronts.
double memory_cycles(bool is_shared, double requests, double units);

struct PipeWork {
    double matrix_flops = 0;
    std::optional<artifact::Arithmetic> matrix_units;  // that make them
    double instructions = 0, doubles = 0, special = 0; // of threads, as of WorkCount
    double memory_cycles = 0;
    double queue_cycles = 0; // in which the block keeps others from a word that all update
    double device_bytes = 0;
};
// `threads`: how often a thread's work is done. Without memory.
PipeWork pipe_work(const perf::WorkCount& of_thread, double threads);

struct Pipe {
    std::string name; // "shared memory/L1"
    double cycles = 0;
};
double rate_of(const artifact::TargetSpec& target, double per_second); // of one multiprocessor in a cycle; 0: not known
std::vector<Pipe> pipes_of(const PipeWork& work, const artifact::TargetSpec& target); // the busiest first

} // namespace hidet::perf
