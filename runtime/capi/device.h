// SPDX-License-Identifier: Apache-2.0
// A device, as a context needs it: what the interpreter asks of its backend, and what a context does between runs. There is
// one for each context, made by open_cpu() (cpu.cpp) or open_cuda() (cuda.cpp); what several contexts of a package share there, such
// as weights and loaded code, is kept by the package (package.h).
#pragma once

#include "runtime/capi/hidet_runtime.h"
#include "runtime/package/execution.h"

namespace hidet::capi {

class Package;

struct Device {
    package::Backend backend;                  // `self` of its functions, and of those below
    const char* name = "";                     // "NVIDIA H200 (sm_90a)"
    const package::Address* weights = nullptr; // by row of the plan
    std::uint64_t weight_bytes = 0;
    std::uint64_t activation_bytes = 0; // held at the moment

    // The caller's memory as an input, `bytes` of it: null buffer and a problem where it cannot be one. The buffer is the
    // device's: the same for an input at each time, whatever lies behind it, as long as `bytes` are the same. Memory of the CPU
    // that a GPU cannot see is copied at each run.
    bool (*take_input)(void* self, std::size_t input, const hidet_tensor& tensor, std::uint64_t bytes,
                       package::Address& address, package::Problem& problem) = nullptr;
    // All inputs have been taken. Where kernels would read at other addresses than before, what was recorded is of no use.
    // `same_shapes`: the execution goes on as it was bound.
    void (*inputs_taken)(void* self, bool same_shapes) = nullptr;
    bool (*run)(void* self, package::Execution& execution, void* stream, package::Problem& problem) = nullptr;
    void* (*pointer)(package::Address address) = nullptr; // on the device
    bool (*copy_out)(void* self, package::Address from, std::uint64_t bytes, void* to, bool to_cpu,
                     package::Problem& problem) = nullptr; // after the last run; to the CPU: has ended when it returns
    bool (*wait)(void* self, package::Problem& problem) = nullptr;
    void (*close)(void* self) = nullptr; // frees `self` too; the execution is gone by then
};

// False: the problem says why, and nothing is held. The package and the plan, one of its variants for this device, outlive it.
bool open_cpu(Package& package, const package::Plan& plan, const hidet_context_options& options, Device& device,
              package::Problem& problem);
bool open_cuda(Package& package, const package::Plan& plan, const hidet_context_options& options, Device& device,
               package::Problem& problem);

// How well a device runs a variant for this architecture: 0: not at all. Asking needs no context and starts nothing but the driver.
struct Capability {
    int major = 0, minor = 0; // CUDA
};
bool cuda_capability(int device, Capability& capability, package::Problem& problem);

} // namespace hidet::capi
