// SPDX-License-Identifier: Apache-2.0
// Processes that exchange what lies on their GPUs, by NCCL.
#pragma once

#include <memory>

#include "runtime/cuda/stream.h"
#include "runtime/distributed/nccl.h"
#include "runtime/distributed/process_group.h"

namespace hidet::distributed {

// Elements of its operations are in the memory of the stream's GPU, and what is launched in the stream has come before. Over a
// group of the same processes, which compares their calls and sees that they live.
Result<std::unique_ptr<ProcessGroup>> make_nccl_group(std::shared_ptr<const Nccl> nccl,
                                                      std::shared_ptr<cuda::Stream> stream, MeetingGroup& meeting);

} // namespace hidet::distributed
