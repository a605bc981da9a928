// SPDX-License-Identifier: Apache-2.0
// What this machine's processors can do at most, measured: the roofline of CPU kernels.
#pragma once

#include "runtime/cpu/thread_pool.h"

namespace hidet::bench {

struct CpuPeaks {
    double f32_flops = 0;        // a second, fused multiply-adds in the widest vectors, all threads of the pool
    double bytes_per_second = 0; // read and written together: a copy of arrays that fit no cache
};

// Takes some 200 ms.
CpuPeaks measure_cpu_peaks(cpu::ThreadPool& pool);

} // namespace hidet::bench
