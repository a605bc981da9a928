// SPDX-License-Identifier: Apache-2.0
// The part of the driver's binary interface that we use, declared by us so that nothing of a toolkit is needed to build.
// tests/unit/cuda/interface_test.cpp compares it with cuda.h where there is one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hidet::cuda {

enum class Status : int { // a CUresult; those that code asks for, results.def has all
    Success = 0,
    InvalidValue = 1,
    OutOfMemory = 2,
    StubLibrary = 34,
    NoDevice = 100,
    InvalidImage = 200,
    NoBinaryForGpu = 209,
    UnsupportedPtxVersion = 222,
    NotFound = 500,
    NotReady = 600,
    LaunchOutOfResources = 701,
    GraphUpdateFailure = 910,
};

using DeviceHandle = int;
using DeviceAddress = std::uint64_t;
using ContextHandle = struct ContextTag*;
using ModuleHandle = struct ModuleTag*;
using FunctionHandle = struct FunctionTag*;
using StreamHandle = struct StreamTag*;
using EventHandle = struct EventTag*;
using GraphHandle = struct GraphTag*;
using GraphExecHandle = struct GraphExecTag*;
using GraphNodeHandle = struct GraphNodeTag*;
using PoolHandle = struct PoolTag*;
struct IpcHandle { // of memory that another process opens
    char bytes[64];
};

enum class LaunchAttributeId : int {
    Cooperative = 2,
    ClusterDimension = 4,
    ProgrammaticStreamSerialization = 6,
};
struct LaunchAttribute {
    LaunchAttributeId id{};
    std::uint32_t pad = 0;
    union {
        char bytes[64];
        int flag;
        unsigned dims[3];
        std::uint64_t align; // of the events and pointers that other attributes hold
    } value{};
};
struct LaunchConfig {
    unsigned grid[3] = {1, 1, 1};
    unsigned block[3] = {1, 1, 1};
    unsigned dynamic_shared = 0;
    StreamHandle stream = nullptr;
    LaunchAttribute* attributes = nullptr;
    unsigned attribute_count = 0;
};
namespace device_attribute {
inline constexpr int max_threads_per_block = 1;
inline constexpr int max_shared_per_block = 8;
inline constexpr int clock_khz = 13;
inline constexpr int multiprocessors = 16;
inline constexpr int memory_clock_khz = 36;
inline constexpr int memory_bus_bits = 37;
inline constexpr int l2_bytes = 38;
inline constexpr int max_threads_per_multiprocessor = 39;
inline constexpr int compute_major = 75;
inline constexpr int compute_minor = 76;
inline constexpr int max_shared_per_multiprocessor = 81;
inline constexpr int max_registers_per_multiprocessor = 82;
inline constexpr int pageable_memory_access = 88;
inline constexpr int cooperative_launch = 95;
inline constexpr int max_shared_per_block_optin = 97;
inline constexpr int max_blocks_per_multiprocessor = 106;
inline constexpr int shared_reserved_per_block = 111;
inline constexpr int memory_pools = 115;
inline constexpr int cluster_launch = 120;
} // namespace device_attribute

namespace function_attribute {
inline constexpr int max_threads_per_block = 0;
inline constexpr int static_shared = 1;
inline constexpr int constant_bytes = 2;
inline constexpr int local_bytes = 3;
inline constexpr int registers = 4;
inline constexpr int max_dynamic_shared = 8;
inline constexpr int preferred_shared_percent = 9; // of what shared memory and first-level cache divide
inline constexpr int non_portable_cluster = 14;
} // namespace function_attribute

inline constexpr unsigned stream_non_blocking = 1;
inline constexpr unsigned event_disable_timing = 2;
inline constexpr unsigned ipc_enable_peer_access = 1;
inline constexpr int capture_thread_local = 1;
inline constexpr int pool_release_threshold = 4;
inline constexpr int jit_error_log = 5;
inline constexpr int jit_error_log_bytes = 6;

struct Api {
#define HIDET_CUDA_FUNCTION(member, symbol, need, params) Status(*member) params = nullptr;
#include "runtime/cuda/driver_functions.def"
#undef HIDET_CUDA_FUNCTION
};

} // namespace hidet::cuda
