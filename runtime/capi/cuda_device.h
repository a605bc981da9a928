// SPDX-License-Identifier: Apache-2.0
// A context of a package on a GPU: what runs a plan there.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#include "runtime/capi/cuda_maps.h"
#include "runtime/capi/cuda_share.h"
#include "runtime/capi/host_operators.h"

namespace hidet::capi {

// What the host has of tensors that lie on a GPU, for as long as it works on them.
class HostCopies {
public:
    HostCopies() = default;
    ~HostCopies() {
        while (m_first) {
            Block* const next = m_first->next;
            std::free(m_first);
            m_first = next;
        }
    }
    HostCopies(const HostCopies&) = delete;
    HostCopies& operator=(const HostCopies&) = delete;

    unsigned char* add(std::uint64_t bytes, Problem& problem) {
        void* const place = bytes < SIZE_MAX / 2 ? std::malloc(sizeof(Block) + bytes) : nullptr;
        if (!place) {
            package::refuse(problem, package::Code::Memory, bytes, " bytes for an operator of the host");
            return nullptr;
        }
        m_first = new (place) Block{m_first, bytes, package::no_row};
        return data_of(m_first);
    }
    void last_is(std::size_t result) { m_first->result = static_cast<package::Row>(result); }
    // Calls use(result, data, bytes) with each result.
    bool each_result(auto&& use) const {
        for (Block* block = m_first; block; block = block->next)
            if (block->result != package::no_row && !use(block->result, data_of(block), block->bytes))
                return false;
        return true;
    }

private:
    struct alignas(std::max_align_t) Block {
        Block* next;
        std::uint64_t bytes;
        package::Row result;
    };
    static unsigned char* data_of(Block* block) { return reinterpret_cast<unsigned char*>(block + 1); }
    Block* m_first = nullptr;
};

// Where a context works, and what tells of its work.
struct CudaStreams {
    bool open(const Api& api, const hidet_context_options& options, Problem& problem);
    void close(const Api& api);

    cuda::StreamHandle own = nullptr;                 // made here
    cuda::StreamHandle usual = nullptr;               // of runs that name none
    cuda::StreamHandle current = nullptr;             // of the last run, or the one at hand
    cuda::EventHandle last_run = nullptr;             // its end
    cuda::EventHandle ready = nullptr;                // memory that the caller's allocator gave
    cuda::EventHandle begin = nullptr, end = nullptr; // of a step whose time is taken
};

// The arguments of a launch, as the driver reads them.
struct CudaArguments {
    bool make_tables(package::Memory& memory, std::size_t most) {
        return memory.make(places, most) && memory.make(values, most);
    }
    bool place(const package::KernelLaunch& launch, const Gpu& gpu, Problem& problem);

    package::List<void*> places;
    package::List<std::uint64_t> values; // addresses and numbers
    TensorMaps maps;
};

struct CudaAllowed { // what the kernel of a function has been allowed for this context
    std::int64_t dynamic_shared = 0;
    bool overlaps = false, has_large_clusters = false;
};
struct CudaLaunched { // what came last
    package::Row body = package::no_row, step = package::no_row, function = package::no_row;
    bool is_graph = false;
};

class CudaDevice {
public:
    CudaDevice(Package& package, const package::Plan& plan, const hidet_context_options& options)
        : m_package(package), m_plan(plan), m_options(options), m_host(package, plan, m_options) {}
    // False: the problem says why; close() frees what there is.
    bool open(Device& device, Problem& problem);
    void close();

private:
    struct Input {
        DeviceBlock place;               // where runs read it: with the caller, or in the copy
        DeviceBlock* copy = nullptr;     // kept for the next one
        const void* from_host = nullptr; // what is copied there at each run; both null: nothing
        DeviceAddress from = 0;
    };

    // cuda.cpp
    bool make_tables(Problem& problem);
    void describe(Device& device);

    // cuda_run.cpp
    bool take_input(std::size_t input, const hidet_tensor& tensor, std::uint64_t bytes, package::Address& address,
                    Problem& problem);
    void inputs_taken(bool same_shapes);
    void forget_graph();
    bool run(package::Execution& execution, void* stream, Problem& problem);
    bool order_memory(Problem& problem);
    bool copy_inputs(Problem& problem);
    bool check_inputs(package::Execution& execution, Problem& problem);
    bool run_bound(package::Execution& execution, Problem& problem);
    bool record(package::Execution& execution, Problem& problem);
    bool run_profiled(package::Execution& execution, Problem& problem);
    bool tell_time(const package::Step& step, Problem& problem);
    bool copy_out(package::Address from, std::uint64_t bytes, void* to, bool to_cpu, Problem& problem);
    bool wait(Problem& problem);
    bool has_ended(Status status, const char* doing, Problem& problem) const;

    // cuda_steps.cpp
    package::Buffer* allocate(std::uint64_t bytes, Problem& problem);
    void release(package::Buffer* buffer);
    bool keep(DeviceBlock*& block, std::uint64_t bytes, Problem& problem);
    bool copy(package::Address to, package::Address from, std::uint64_t bytes, Problem& problem);
    bool move(DeviceAddress to, DeviceAddress from, std::uint64_t bytes, Problem& problem);
    bool fill(package::Address to, std::uint8_t byte, std::uint64_t bytes, Problem& problem);
    bool read(void* to, package::Address from, std::uint64_t bytes, Problem& problem);
    bool write(package::Address to, const void* from, std::uint64_t bytes, Problem& problem);
    bool host(package::HostStep& step, Problem& problem);
    bool exchange(package::HostStep& step, Problem& problem);
    bool read_operands(const package::HostStep& step, HostCopies& copies, Problem& problem);

    // cuda_launch.cpp
    bool launch(const package::KernelLaunch& launch, Problem& problem);
    bool allow(const package::KernelLaunch& launch, Problem& problem);
    bool refuse_launch(const package::KernelLaunch& launch, Status status, Problem& problem) const;

    Package& m_package;
    const package::Plan& m_plan;
    const hidet_context_options m_options;
    Device* m_device = nullptr;
    Gpu m_gpu;
    Share* m_share = nullptr;
    Allocator m_allocator;
    Blocks m_blocks;
    HostOperators m_host;
    package::Memory m_memory;
    package::List<Kernel*> m_kernels;          // by function
    package::List<CudaAllowed> m_allowed;      // by function
    package::List<package::Address> m_weights; // by row
    package::List<Input> m_inputs;
    CudaArguments m_arguments;
    DeviceBlock* m_between = nullptr; // of copies that overlap
    CudaStreams m_streams;
    cuda::GraphExecHandle m_graph = nullptr;
    CudaLaunched m_launched;
    bool m_can_record = true;  // no step goes through the host, and nobody looks at steps
    bool m_does_record = true; // of what is bound: it has not failed
    bool m_is_moved = false;   // an input is read at another address than before
    bool m_has_run = false;    // what is bound
    bool m_is_running = false;
    bool m_follows_kernel = false; // a step of this run, on the same stream
    bool m_has_worked = false;     // the step whose time is taken
    char m_name[160] = "";
};

} // namespace hidet::capi
