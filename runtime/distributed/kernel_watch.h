// SPDX-License-Identifier: Apache-2.0
// A kernel that waits for the signal of a process that has ended waits for ever, and nobody can stop a kernel. So a thread looks at
// the processes of a group whose kernels reach each other. Where one has gone and such a kernel is still under way some time later,
// the context is given up, which ends every wait of ours with the reason; where the process has not ended soon after that, because
// it waits by other means, it is ended.
#pragma once

#include <memory>

#include "runtime/cuda/stream.h"
#include "runtime/distributed/process_group.h"
#include "runtime/distributed/symmetric.h"

namespace hidet::distributed {

class Lookout;

class KernelWatch {
public:
    struct Patience {
        double until_lost = 2; // seconds from the end of a process
        double until_end = 4;  // seconds from then on
    };
    // Of kernels that are given memory of that. The group lives longer than this.
    static Result<std::unique_ptr<KernelWatch>> start(std::shared_ptr<cuda::Stream> stream,
                                                      const SymmetricMemory& memory, const MeetingGroup& meeting,
                                                      Patience patience);
    ~KernelWatch();
    KernelWatch(const KernelWatch&) = delete;
    KernelWatch& operator=(const KernelWatch&) = delete;

private:
    struct State;
    KernelWatch(std::shared_ptr<cuda::Stream> stream, std::unique_ptr<Lookout> lookout);

    std::shared_ptr<cuda::Stream> m_stream;
    std::unique_ptr<Lookout> m_lookout;
};

} // namespace hidet::distributed
