// SPDX-License-Identifier: Apache-2.0
// This machine's processors: what they are, and what they can do at most, measured: the roofline of CPU kernels.
#pragma once

#include "compiler/artifact/target_spec.h"
#include "runtime/package/thread_pool.h"

namespace hidet::bench {

// What the processor and the system say; no bandwidth and no peaks. `cores` are what this process may use.
artifact::TargetSpec this_cpu();

// The same with its peak of f32, fused multiply-adds in the widest vectors on all threads of the pool, and its bandwidth, read
// and written together: a copy of arrays that fit no cache. Takes some 200 ms.
artifact::TargetSpec measured_cpu(package::ThreadPool& pool);

} // namespace hidet::bench
