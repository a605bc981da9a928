// SPDX-License-Identifier: Apache-2.0
// Host functions: one thread, u registers only.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lang/base/result.h"
#include "lang/base/symbol_values.h"
#include "runtime/vm/launch.h"

namespace hidet::vm {

class KeptClusters;

double number_of(Scalar type, std::uint64_t bits); // of a real type, as a u register holds it

struct KernelCode {
    Code code;
    int lanes = 0; // 0: none yet
    const VectorTable* table = nullptr;
    bool has_tracked = false; // registers that may hold nothing are known
};

struct HostContext {
    const Program* program = nullptr;
    Memory* memory = nullptr;
    const MachineOptions* options = nullptr;
    const std::vector<std::uint64_t>* globals = nullptr;
    SymbolValues* symbols = nullptr;
    // The last code of each kernel, by its row in the program: most launches are like the one before.
    std::vector<KernelCode>* kernels = nullptr;
    KeptClusters* kept = nullptr;
    Orders* orders = nullptr;
};

// Made ready once and run many times: a launch through it costs no decoding and, once warm, no memory.
class HostRunner {
public:
    HostRunner(HostContext context, const Function& function);
    HostRunner(const HostRunner&) = delete;
    HostRunner& operator=(const HostRunner&) = delete;
    // What it returns, as a u register holds it.
    std::uint64_t run(std::span<const std::uint64_t> args, Statistics& statistics);

private:
    struct Element {
        std::byte* data = nullptr;
        int bytes = 0;
    };
    void execute(const Step& step);
    Element resolve(const Step& step, bool is_store);
    const Allocation& part(std::uint64_t pointer, std::int64_t bytes, bool is_store, const char* what);
    void load(const Step& step);
    void store(const Step& step);
    void launch(const Step& step);
    bool read_shape(const artifact::Launch& launch, const Function& kernel, LaunchShape& shape); // false: nothing to do
    void emulate(const artifact::Launch& launch, const Function& kernel, const LaunchShape& shape);
    // ranks.cpp
    bool reaches_symmetric(const LaunchContext& context) const; // as one of several ranks
    bool is_of_ranks(const Function& kernel) const;
    LaunchResult run_with_ranks(LaunchContext& context);
    void map_peers(LaunchContext& context);
    void unmap_peers(const LaunchContext& context);
    TileKeeper tile_keeper(const LaunchContext& launch);
    void find_owner_maps(const Function& kernel, LaunchContext& context) const;
    void send(const artifact::Launch& launch, const Function& kernel, const LaunchShape& shape);
    std::uint64_t device_address(const Function& kernel, std::size_t parameter, std::uint64_t pointer,
                                 const BufferInfo*& buffer);
    artifact::TensorMap device_map(const Function& kernel, std::size_t parameter, std::uint64_t pointer,
                                   const BufferInfo*& buffer);
    std::uint64_t mirror_of(std::uint32_t id, const Allocation& allocation);
    void read_mirrors();
    void free_mirrors();
    // tensor_map.cpp
    void make_tensor_map(const Step& step);
    void copy(const Step& step);
    void workspace(const Step& step);
    void add_counters(const Function& kernel, const std::vector<Counters>& counters);
    void report_counters();
    static void note_written(const Allocation& target, std::uint64_t to, std::int64_t bytes);
    void fill(std::uint64_t to, std::int64_t bytes, int value);
    void release();
    [[noreturn]] void fail_device(const Error& error);
    void print(const Step& step);
    std::uint64_t local_array(std::int32_t row);
    std::uint64_t& slot(std::int32_t operand) { return m_u[static_cast<std::size_t>(artifact::register_of(operand))]; }
    std::int64_t integer(std::int32_t operand) { return static_cast<std::int64_t>(slot(operand)); }
    [[noreturn]] void fail(FindingKind kind, const std::string& text);
    [[noreturn]] void fail_launch(FindingKind kind, const artifact::Function& kernel, const std::string& text);
    [[noreturn]] void fail_with(FindingKind kind, std::string message);
    std::string element_text(const artifact::Access& access);

    HostContext m_context;
    const Function& m_function;
    Code m_code;
    std::vector<std::uint64_t> m_u;
    std::vector<std::uint64_t> m_locals;
    std::vector<std::uint64_t> m_workspaces;
    std::vector<std::uint64_t> m_args; // of the launch on its way to the device
    std::vector<const BufferInfo*> m_buffers;
    std::vector<const artifact::TensorMap*> m_maps;
    struct Mirror {
        std::uint32_t id;      // of an allocation of the CPU
        std::uint64_t address; // of its copy on the device
    };
    std::vector<Mirror> m_mirrors;
    Statistics* m_statistics = nullptr;
    std::map<std::string, std::pair<const Function*, std::vector<Counters>>> m_counters; // by kernel
    std::uint32_t m_pc = 0;
    bool m_done = false;
    std::uint64_t m_result = 0;
    std::uint64_t m_steps = 0;
};

} // namespace hidet::vm
