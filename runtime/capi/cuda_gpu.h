// SPDX-License-Identifier: Apache-2.0
// A GPU and the context of it that is used: the one that is current where the caller has made one of that GPU, else the primary
// one, which PyTorch, JAX and the runtime library of CUDA use.
#pragma once

#include "runtime/capi/cuda_driver.h"
#include "runtime/capi/device.h"
#include "runtime/package/words.h"

namespace hidet::capi {

struct Gpu {
    const Api* api = nullptr;
    int driver_version = 0;
    int id = 0; // as callers count
    cuda::DeviceHandle device = 0;
    cuda::ContextHandle context = nullptr;
    bool is_retained = false;
    char name[128] = ""; // "NVIDIA H200"
    Capability capability;
    std::int64_t multiprocessors = 0;
    std::int64_t shared_bytes = 0, registers = 0; // of a multiprocessor
    std::int64_t shared_per_block = 0, shared_most = 0,
                 shared_reserved = 0; // of a block: usual, by asking, by the system
};

// "sm_90a": from Hopper on the instructions of one generation only are what makes it fast.
package::Words<16> architecture_words(const Capability& capability);

bool open_gpu(int id, Gpu& gpu, Problem& problem); // false: nothing is held
void close_gpu(Gpu& gpu);

// The context is current as long as this lives; afterwards the thread has what it had before.
class Entered {
public:
    explicit Entered(const Gpu& gpu) : m_gpu(gpu), m_status(gpu.api->context_push_current(gpu.context)) {}
    ~Entered() {
        cuda::ContextHandle popped = nullptr;
        if (m_status == Status::Success)
            m_gpu.api->context_pop_current(&popped);
    }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    bool is_ok(Problem& problem) const { return succeeds(m_status, problem, "making the context current"); }
    bool is_ok() const { return m_status == Status::Success; }

private:
    const Gpu& m_gpu;
    Status m_status;
};

} // namespace hidet::capi
