// SPDX-License-Identifier: Apache-2.0
// Our own declarations of the driver's interface against those of a CUDA toolkit, where one is installed.
#include "runtime/cuda/driver_api.h"

#include <cstdio>
#include <doctest/doctest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

#include <cstddef>
#include <type_traits>

namespace ours = hidet::cuda;

#define SAME(mine, theirs) static_assert(static_cast<long long>(mine) == static_cast<long long>(theirs))

SAME(sizeof(ours::LaunchConfig), sizeof(CUlaunchConfig));
SAME(offsetof(ours::LaunchConfig, grid), offsetof(CUlaunchConfig, gridDimX));
SAME(offsetof(ours::LaunchConfig, block), offsetof(CUlaunchConfig, blockDimX));
SAME(offsetof(ours::LaunchConfig, dynamic_shared), offsetof(CUlaunchConfig, sharedMemBytes));
SAME(offsetof(ours::LaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
SAME(offsetof(ours::LaunchConfig, attributes), offsetof(CUlaunchConfig, attrs));
SAME(offsetof(ours::LaunchConfig, attribute_count), offsetof(CUlaunchConfig, numAttrs));
SAME(sizeof(ours::LaunchAttribute), sizeof(CUlaunchAttribute));
SAME(offsetof(ours::LaunchAttribute, value), offsetof(CUlaunchAttribute, value));
SAME(ours::LaunchAttributeId::Cooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
SAME(ours::LaunchAttributeId::ClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME(ours::LaunchAttributeId::ProgrammaticStreamSerialization, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);

#define HIDET_CUDA_RESULT(value, name, code, sticky, meaning) SAME(value, name);
#include "runtime/cuda/results.def"
#undef HIDET_CUDA_RESULT
SAME(ours::Status::NotReady, CUDA_ERROR_NOT_READY);
SAME(ours::Status::NoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME(ours::Status::UnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);

namespace device = ours::device_attribute;
SAME(device::max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(device::max_shared_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME(device::clock_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME(device::multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(device::memory_clock_khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME(device::memory_bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
SAME(device::l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME(device::max_threads_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
SAME(device::compute_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(device::compute_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(device::max_shared_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
SAME(device::max_registers_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
SAME(device::pageable_memory_access, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS);
SAME(device::cooperative_launch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
SAME(device::max_shared_per_block_optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(device::max_blocks_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
SAME(device::shared_reserved_per_block, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
SAME(device::memory_pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
SAME(device::cluster_launch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);

namespace function = ours::function_attribute;
SAME(function::max_threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(function::static_shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(function::constant_bytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
SAME(function::local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(function::registers, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME(function::max_dynamic_shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(function::non_portable_cluster, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);

SAME(ours::stream_non_blocking, CU_STREAM_NON_BLOCKING);
SAME(ours::event_disable_timing, CU_EVENT_DISABLE_TIMING);
SAME(ours::ipc_enable_peer_access, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
SAME(sizeof(ours::IpcHandle), sizeof(CUipcMemHandle));
SAME(ours::capture_thread_local, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
SAME(ours::pool_release_threshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
SAME(ours::jit_error_log, CU_JIT_ERROR_LOG_BUFFER);
SAME(ours::jit_error_log_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);

// The parameters of each function: what is a number here is an enum there, what is a tag here is another tag there, so
// their sizes and their number are compared.
template <class Theirs, class Ours>
struct SameParameters : std::false_type {};
template <class R, class... A, class S, class... B>
struct SameParameters<R (*)(A...), S (*)(B...)> {
    static constexpr bool alike() {
        if constexpr (sizeof...(A) == sizeof...(B))
            return ((sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>)&&...);
        return false;
    }
    static constexpr bool value = alike();
};
#define HIDET_CUDA_FUNCTION(member, symbol, need, params)                                                              \
    static_assert(SameParameters<decltype(&symbol), decltype(ours::Api::member)>::value, #symbol);
#include "runtime/cuda/driver_functions.def"
#include "tests/harness/skip.h"
#undef HIDET_CUDA_FUNCTION

TEST_CASE("declarations are those of cuda.h, which the compiler checks") {
    std::printf("compared with the interface of CUDA %d.%d\n", CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
}
#else
TEST_CASE("declarations are those of cuda.h") {
    hidet::test::skip("no cuda.h on this machine");
}
#endif
