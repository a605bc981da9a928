// SPDX-License-Identifier: Apache-2.0
// What a machine is: its architecture, what it holds, how fast it computes and moves bytes. The one description that
// lowering, scheduling, checks, costs, roofs and code generators take. machines.def has the known ones; of a GPU that is
// present the driver tells more (runtime/cuda/device.h), and a CPU is measured (runtime/bench/cpu_peaks.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/base/architecture.h"

namespace hidet::artifact {

enum class TargetKind : std::uint8_t { Cuda, Cpu };
const char* target_kind_name(TargetKind kind); // "cuda"

std::optional<Architecture> find_architecture(std::string_view name); // "sm_75" ... ; nothing: no such name
std::string architecture_name(Architecture arch);
// What code for a GPU of this compute capability is best compiled for: from Hopper on the instructions of one generation
// only are what makes it fast.
Architecture best_architecture(int capability);

enum class Feature : std::uint8_t {
#define HIDET_FEATURE(name, arch, text) name,
#include "compiler/artifact/features.def"
};
struct FeatureInfo {
    Feature feature{};
    Architecture needs;
    const char* text = "";
};
const std::vector<FeatureInfo>& all_features();

enum class Arithmetic : std::uint8_t {
#define HIDET_ARITHMETIC(name, text) name,
#include "compiler/artifact/arithmetic.def"
    Count
};
inline constexpr std::size_t arithmetic_count = static_cast<std::size_t>(Arithmetic::Count);
const char* arithmetic_name(Arithmetic arithmetic); // "f16 matrix units"
// Of matrix units on operands of this type, with sums of that one: "f16", "f32". Nothing: no matrix units take it.
std::optional<Arithmetic> matrix_arithmetic(std::string_view type, std::string_view sum_type);

// Between processes that share a model, each way. On GPUs each process has one.
struct Links {
    double bytes_per_second = 0;         // of each process, to others of its host
    double seconds = 0;                  // until the first of them are there
    int host_size = 0;                   // processes of a host; 0: all are on one
    double network_bytes_per_second = 0; // of each process, to other hosts
    double network_seconds = 0;          // from one host to the next
};

// A figure is 0 where it is not known, or the machine has no such thing.
struct TargetSpec {
    TargetKind kind = TargetKind::Cuda;
    std::string id;   // "h200"; "sm_86": any GPU of this architecture; empty: a machine that is present
    std::string name; // "NVIDIA H200"

    // What all machines have. Caches: of a multiprocessor with its shared memory, or of a core; the last one is shared.
    std::int64_t memory_bytes = 0;
    std::int64_t l1_bytes = 0;
    std::int64_t l2_bytes = 0;
    std::int64_t l3_bytes = 0;
    double bytes_per_second = 0; // of memory
    double launch_seconds = 0;   // from the end of one kernel to the start of the next, when both are known before
    bool is_measured = false;    // the bandwidth and the peaks
    Links links;
    std::array<double, arithmetic_count> peaks{}; // operations a second; a multiply-add is two

    // A CPU.
    int cores = 0;
    int vector_bytes = 0;

    // A GPU.
    Architecture arch;
    int multiprocessors = 0;
    int clock_mhz = 0; // at most
    int warp_threads = 0;
    int threads_per_block = 0;
    std::array<std::int64_t, 3> grid_blocks{};   // in each dimension
    std::array<std::int64_t, 3> block_threads{}; // in each dimension
    int cluster_blocks = 0;                      // with the attribute for sizes that are not portable
    int portable_cluster_blocks = 0;
    std::int64_t shared_per_block = 0;       // bytes, without opting in: what static arrays may take
    std::int64_t shared_per_block_optin = 0; // bytes, static and dynamic together

    // One multiprocessor.
    int warps = 0;
    int blocks = 0;
    int partitions = 0; // a warp and its registers live in one of them
    int registers = 0;
    int register_unit = 0; // registers are given to warps in pieces of this
    int registers_per_thread = 0;
    std::int64_t shared_bytes = 0;
    int shared_unit = 0;     // bytes are given to blocks in pieces of this
    int shared_reserved = 0; // bytes that the system takes for each block
    int barriers = 0;        // named ones, shared by its blocks; 0: they are no limit

    bool is_cuda() const { return kind == TargetKind::Cuda; }
    bool has(Feature feature) const;
    double peak(Arithmetic arithmetic) const { return peaks[static_cast<std::size_t>(arithmetic)]; }
};

const std::vector<TargetSpec>& machines(); // of machines.def, in its order
const TargetSpec& default_gpu();           // where nobody says which: what kernels are lowered and emulated for
const TargetSpec& default_cpu();

// "h200" of the table, or "sm_86". An architecture has the figures of the first machine of the table that has it, or only
// limits where there is none.
std::optional<TargetSpec> find_target(std::string_view name);

// A GPU that is present, by what its driver says: the limits of its architecture; the peaks of the machine of the table that
// it is, else those that its clock gives.
struct PresentGpu {
    std::string name; // "NVIDIA H100 80GB HBM3"
    int capability = 0;
    int multiprocessors = 0;
    int clock_mhz = 0;
};
TargetSpec spec_of(const PresentGpu& gpu);

// What people read: "multiprocessors", "132"; only what is known.
struct SpecRow {
    std::string what;
    std::string value;
};
std::vector<SpecRow> describe(const TargetSpec& target);

} // namespace hidet::artifact
