// SPDX-License-Identifier: Apache-2.0
// What the contexts of a package share on a GPU: loaded modules, their kernels, and weights. All of it goes with the last of
// them.
#pragma once

#include "runtime/capi/cuda_image.h"
#include "runtime/capi/cuda_memory.h"

namespace hidet::capi {

struct Kernel {
    Kernel* next = nullptr; // of its module
    char* symbol = nullptr;
    cuda::FunctionHandle handle = nullptr;
    int registers = 0, static_shared = 0, most_threads = 0;
    // What launches asked for, and the driver keeps for all of them.
    std::int64_t dynamic_shared = 0; // bytes that a launch may have
    bool prefers_shared = false, has_large_clusters = false;
};

class Share : public Shared {
public:
    // Of this context of the GPU, which it takes: it is released here. Null: there is no memory, and the GPU is closed.
    static Share* use(Package& package, Gpu& gpu, Problem& problem);
    void drop(Package& package, cuda::StreamHandle stream);

    // Kernels by the plan's functions, those that no step launches being null; weights by its rows. In the context.
    bool load(Package& package, const package::Plan& plan, const Allocator& allocator, cuda::StreamHandle stream,
              const package::List<Kernel*>& kernels, const package::List<package::Address>& weights, Problem& problem);
    std::uint64_t weight_bytes();

    // Before a launch: what it needs of the driver for this kernel.
    struct Wishes {
        std::int64_t dynamic_shared = 0;
        bool is_overlapping = false, has_large_clusters = false;
        int shared_percent = 0; // of overlapping ones
    };
    Status allow(Kernel& kernel, const Wishes& wishes);

private:
    struct Module {
        Module* next;
        package::Text member;
        cuda::ModuleHandle handle;
        Kernel* kernels;
    };
    struct Piece {
        package::Row weight; // of the plan that brought it
        package::Text member;
        std::uint64_t offset, bytes; // in the member
        std::uint64_t at;            // in the block
    };
    struct Weights { // of a plan, but for those that were there
        Weights* next;
        DeviceBlock block;
        Allocator allocator;
        Piece* pieces;
        std::uint32_t count;
    };

    static void free_all(Shared* shared);
    bool load_all(Package& package, const package::Plan& plan, const Allocator& allocator, cuda::StreamHandle stream,
                  const package::List<Kernel*>& kernels, const package::List<package::Address>& weights,
                  Problem& problem);
    bool load_kernels(Package& package, const package::Plan& plan, const package::List<Kernel*>& kernels,
                      Problem& problem);
    Module* module_of(Package& package, const package::Plan& plan, package::Row module, Problem& problem);
    bool read_module(const package::PlanImage<package::Flat>& image, const void* data, cuda::ModuleHandle& handle,
                     Problem& problem);
    bool refuse_module(const package::PlanImage<package::Flat>& image, Status status, const char* log,
                       Problem& problem);
    Kernel* kernel_of(Module& module, const package::PlanFunction<package::Flat>& function, Problem& problem);
    Kernel* new_kernel(Module& module, const package::PlanFunction<package::Flat>& function, Problem& problem);
    bool find_kernel(Module& module, Kernel& kernel, Problem& problem);
    bool check_parameters(const Kernel& kernel, const package::PlanFunction<package::Flat>& function, Problem& problem);
    bool upload(Package& package, const package::Plan& plan, const Allocator& allocator, cuda::StreamHandle stream,
                Problem& problem);
    bool fill(Package& package, const package::Plan& plan, const Weights& made, cuda::StreamHandle stream,
              Problem& problem);
    package::Address find(const package::PlanWeight<package::Flat>& weight) const;
    void free_modules(const Module* until);
    void free_weights(const Weights* until, cuda::StreamHandle stream);

    Gpu m_gpu;
    pthread_mutex_t m_mutex = PTHREAD_MUTEX_INITIALIZER; // of all that follows
    Module* m_modules = nullptr;
    Weights* m_weights = nullptr;
    std::uint64_t m_weight_bytes = 0;
    cuda::StreamHandle m_last_stream = nullptr; // of whoever drops it last
};

} // namespace hidet::capi
