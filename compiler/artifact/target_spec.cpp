// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/target_spec.h"

#include <algorithm>
#include <cmath>

#include "lang/base/ascii.h"
#include "lang/base/check.h"
#include "lang/base/transformed.h"

namespace hidet::artifact {

namespace {

// A collective of few bytes: a ring of NCCL over NVLink, processes that meet in shared memory.
constexpr double gpu_link_seconds = 10e-6, cpu_link_seconds = 20e-6;
// A hop of a tree of NCCL over a network, as its src/graph/tuning.cc has it.
constexpr double network_seconds = 5e-6;
constexpr double launch_seconds = 2e-6; // of a kernel in a CUDA graph, or to wake the threads of a pool
constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;

// The figures of one multiprocessor, as architectures.def has them.
struct ArchitectureRow {
    int number, warps, blocks, l1_kib, shared_kib, block_shared_kib, shared_unit, shared_reserved, partitions, barriers;
    double f32_rate, f16_matrix_rate; // multiply-adds a clock
};
constexpr ArchitectureRow architectures[] = {
#define HIDET_ARCHITECTURE(...) {__VA_ARGS__},
#include "compiler/artifact/architectures.def"
};

// A GPU that is newer than the table counts as the newest of it.
const ArchitectureRow& row_of(Architecture arch) {
    const ArchitectureRow* found = &architectures[0];
    for (const ArchitectureRow& row : architectures)
        if (row.number <= arch.number)
            found = &row;
    return *found;
}

TargetSpec limits_of(Architecture arch) {
    const ArchitectureRow& row = row_of(arch);
    TargetSpec target;
    target.kind = TargetKind::Cuda;
    target.id = target.name = architecture_name(arch);
    target.arch = arch;
    target.launch_seconds = launch_seconds;
    target.l1_bytes = row.l1_kib * kib;
    target.warp_threads = 32;
    target.threads_per_block = 1024;
    target.grid_blocks = {0x7fffffff, 65535, 65535};
    target.block_threads = {1024, 1024, 64};
    if (target.has(Feature::Clusters)) {
        target.cluster_blocks = 16;
        target.portable_cluster_blocks = 8;
    }
    target.shared_per_block = 48 * kib;
    target.shared_per_block_optin = row.block_shared_kib * kib;
    target.warps = row.warps;
    target.blocks = row.blocks;
    target.partitions = row.partitions;
    target.registers = 65'536;
    target.register_unit = 256;
    target.registers_per_thread = 255;
    target.shared_bytes = row.shared_kib * kib;
    target.shared_unit = row.shared_unit;
    target.shared_reserved = row.shared_reserved;
    target.barriers = row.barriers;
    return target;
}

void set_peak(TargetSpec& target, Arithmetic arithmetic, double tera) {
    target.peaks[static_cast<std::size_t>(arithmetic)] = std::round(tera * 1e12);
}

// Of a GPU that the table does not have. Sums of f32 may cost a desktop card half of it.
void add_peaks_of_clock(TargetSpec& target) {
    const ArchitectureRow& row = row_of(target.arch);
    const double clocks = 1e-6 * target.clock_mhz * target.multiprocessors; // tera
    set_peak(target, Arithmetic::F32, 2 * clocks * row.f32_rate);
    const double matrix = 2 * clocks * row.f16_matrix_rate;
    set_peak(target, Arithmetic::MatrixF16, matrix);
    set_peak(target, Arithmetic::MatrixF16SumF16, matrix);
    if (target.arch.number >= 75)
        set_peak(target, Arithmetic::MatrixI8, 2 * matrix);
    if (target.has(Feature::MatrixTf32))
        set_peak(target, Arithmetic::MatrixTf32, matrix / 2);
    if (target.has(Feature::MatrixF8))
        set_peak(target, Arithmetic::MatrixF8, 2 * matrix);
}

struct GpuRow {
    const char* id;
    const char* name;
    const char* driver_name;
    const char* arch;
    int multiprocessors, clock_mhz;
    std::int64_t memory_gib, l2_mib;
    double gb_per_second, f64, f32, tf32, f16, f16_sum_f16, f8, i8, link_gb_per_second;
    int host_gpus;
    double network_gb_per_second;
};
constexpr GpuRow gpus[] = {
#define HIDET_GPU(id, ...) {#id, __VA_ARGS__},
#define HIDET_CPU(...)
#include "compiler/artifact/machines.def"
};

TargetSpec gpu_of(const GpuRow& row) {
    const std::optional<Architecture> arch = find_architecture(row.arch);
    HIDET_CHECK(arch, row.id);
    TargetSpec target = limits_of(*arch);
    target.id = row.id;
    target.name = row.name;
    target.multiprocessors = row.multiprocessors;
    target.clock_mhz = row.clock_mhz;
    target.memory_bytes = row.memory_gib * 1024 * mib;
    target.l2_bytes = row.l2_mib * mib;
    target.bytes_per_second = std::round(row.gb_per_second * 1e9);
    target.links = {.bytes_per_second = std::round(row.link_gb_per_second * 1e9),
                    .seconds = gpu_link_seconds,
                    .host_size = row.host_gpus,
                    .network_bytes_per_second = std::round(row.network_gb_per_second * 1e9),
                    .network_seconds = network_seconds};
    set_peak(target, Arithmetic::F64, row.f64);
    set_peak(target, Arithmetic::F32, row.f32);
    set_peak(target, Arithmetic::MatrixTf32, row.tf32);
    set_peak(target, Arithmetic::MatrixF16, row.f16);
    set_peak(target, Arithmetic::MatrixF16SumF16, row.f16_sum_f16);
    set_peak(target, Arithmetic::MatrixF8, row.f8);
    set_peak(target, Arithmetic::MatrixI8, row.i8);
    return target;
}

TargetSpec cpu_of(const char* id, const char* name, int cores, int vector_bytes, std::int64_t l1_kib,
                  std::int64_t l2_kib, std::int64_t l3_mib, double gb_per_second, double f64, double f32,
                  double link_gb_per_second) {
    TargetSpec target;
    target.kind = TargetKind::Cpu;
    target.id = id;
    target.name = name;
    target.cores = cores;
    target.vector_bytes = vector_bytes;
    target.l1_bytes = l1_kib * kib;
    target.l2_bytes = l2_kib * kib;
    target.l3_bytes = l3_mib * mib;
    target.bytes_per_second = std::round(gb_per_second * 1e9);
    target.links = {.bytes_per_second = std::round(link_gb_per_second * 1e9), .seconds = cpu_link_seconds};
    target.launch_seconds = launch_seconds;
    set_peak(target, Arithmetic::F64, f64);
    set_peak(target, Arithmetic::F32, f32);
    return target;
}

std::vector<TargetSpec> make_machines() {
    std::vector<TargetSpec> out = transformed(gpus, [&](const GpuRow& row) { return gpu_of(row); });
#define HIDET_GPU(...)
#define HIDET_CPU(id, ...) out.push_back(cpu_of(#id, __VA_ARGS__));
#include "compiler/artifact/machines.def"
    return out;
}

const TargetSpec& machine(std::string_view id) {
    const auto found = std::ranges::find(machines(), id, &TargetSpec::id);
    HIDET_CHECK(found != machines().end(), std::string(id));
    return *found;
}

// "NVIDIA L4" holds "L4", "NVIDIA L40S" does not.
bool holds_words(std::string_view text, std::string_view words) {
    for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1)) {
        const std::size_t end = at + words.size();
        if ((at == 0 || !is_alphanumeric(text[at - 1])) && (end == text.size() || !is_alphanumeric(text[end])))
            return true;
    }
    return false;
}

} // namespace

const char* target_kind_name(TargetKind kind) {
    return kind == TargetKind::Cuda ? "cuda" : "cpu";
}

const std::vector<FeatureInfo>& all_features() {
    static const std::vector<FeatureInfo> features = {
#define HIDET_FEATURE(name, arch, text) {Feature::name, find_architecture(arch).value(), text},
#include "compiler/artifact/features.def"
    };
    return features;
}

bool TargetSpec::has(Feature feature) const {
    return is_cuda() && arch.provides(all_features()[static_cast<std::size_t>(feature)].needs);
}

const char* arithmetic_name(Arithmetic arithmetic) {
    constexpr const char* names[] = {
#define HIDET_ARITHMETIC(name, text) text,
#include "compiler/artifact/arithmetic.def"
        ""};
    return names[static_cast<std::size_t>(arithmetic)];
}

std::optional<Arithmetic> matrix_arithmetic(std::string_view type, std::string_view sum_type) {
    if (type == "tf32")
        return Arithmetic::MatrixTf32;
    if (type == "f16" || type == "bf16")
        return sum_type == "f16" ? Arithmetic::MatrixF16SumF16 : Arithmetic::MatrixF16;
    if (type.starts_with("f8"))
        return Arithmetic::MatrixF8;
    if (type == "i8" || type == "u8")
        return Arithmetic::MatrixI8;
    return std::nullopt;
}

const std::vector<TargetSpec>& machines() {
    static const std::vector<TargetSpec> all = make_machines();
    return all;
}

const TargetSpec& default_gpu() {
    return machine("h200");
}

const TargetSpec& default_cpu() {
    return machine("cpu");
}

std::optional<TargetSpec> find_target(std::string_view name) {
    if (const auto found = std::ranges::find(machines(), name, &TargetSpec::id); found != machines().end())
        return *found;
    const std::optional<Architecture> arch = find_architecture(name);
    if (!arch)
        return std::nullopt;
    for (const TargetSpec& each : machines())
        if (each.arch.number == arch->number) {
            TargetSpec target = each;
            target.id = name;
            target.arch = *arch;
            return target;
        }
    return limits_of(*arch);
}

TargetSpec spec_of(const PresentGpu& gpu) {
    const Architecture arch = best_architecture(gpu.capability);
    for (const GpuRow& row : gpus)
        if (find_architecture(row.arch) == arch && row.multiprocessors == gpu.multiprocessors &&
            holds_words(gpu.name, row.driver_name)) {
            TargetSpec target = gpu_of(row);
            target.id.clear();
            target.name = gpu.name;
            target.clock_mhz = gpu.clock_mhz;
            return target;
        }
    TargetSpec target = limits_of(arch);
    target.id.clear();
    target.name = gpu.name;
    target.multiprocessors = gpu.multiprocessors;
    target.clock_mhz = gpu.clock_mhz;
    add_peaks_of_clock(target);
    return target;
}

} // namespace hidet::artifact
