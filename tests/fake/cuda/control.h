// SPDX-License-Identifier: Apache-2.0
// A driver that is none: the entry points of libcuda over host memory, with kernels that do nothing, or what a test says.
// It fails where it is told to. The settings are words separated by ';', from HIDET_FAKE_CUDA or fake_cuda_set():
//
//     devices=0               GPUs (default 1)
//     driver=11040            version of CUDA that the driver supports (default 13000)
//     init=803                what cuInit gives
//     sm=75                   compute capability (default 90)
//     memory=1048576          bytes of the device (default 1 GiB)
//     pools=0                 no stream-ordered allocation
//     peers=0                 no device reaches the memory of another; "wrong": it reads other bytes there
//     fail=cuMemAlloc_v2:3:2  the third call of a function from now on gives result 2 (0: every call)
//     hang=spin               a launch of this kernel never ends
//     fault=broken:700        a launch of this kernel gives this result to whoever waits, and to every call after that
//     early=scale:700         so does one that need not wait for the launch before it
//     time=matmul:12.5        a launch of this kernel takes so many microseconds of the device's clock (default 5)
//     print=hello:text        a launch of this kernel writes a line to standard output when it is waited for
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

struct FakeCudaLaunch {
    const char* kernel; // symbol
    unsigned grid[3];
    unsigned block[3];
    unsigned cluster[3];
    unsigned dynamic_shared;
    bool is_cooperative;
    bool is_programmatic;
    std::size_t parameter_count;
    const void* const* parameters; // where each value lies
    const std::size_t* parameter_bytes;
};

#define FAKE_CUDA_API extern "C" __attribute__((visibility("default")))

FAKE_CUDA_API void fake_cuda_reset();                   // as new: settings, counts, memory, contexts
FAKE_CUDA_API void fake_cuda_set(const char* settings); // added to those there are
// What a library starts in a stream: done now, or recorded with what else is, and it takes as long as a kernel of this name.
FAKE_CUDA_API void fake_cuda_start(void* stream, const char* name, const std::function<void()>& work);
// Likewise of what goes on in another thread, which says when it has ended.
FAKE_CUDA_API void fake_cuda_start_long(void* stream, const std::function<void(std::function<void()> end)>& begin);
// Called for each launch, and for each launch of a graph that is replayed; null: kernels do nothing.
FAKE_CUDA_API void fake_cuda_on_launch(void (*body)(const FakeCudaLaunch* launch, void* data), void* data);
FAKE_CUDA_API int fake_cuda_calls(const char* function);
FAKE_CUDA_API std::size_t fake_cuda_bytes();       // allocated now, on the device
FAKE_CUDA_API std::size_t fake_cuda_allocations(); // and pinned ones
FAKE_CUDA_API int
fake_cuda_objects(); // made and not destroyed: modules, streams, events, graphs; contexts that are retained
FAKE_CUDA_API void* fake_cuda_current();      // context of the thread that calls
FAKE_CUDA_API void* fake_cuda_graph_stream(); // in which a graph was launched last
// The allocation that holds an address of the device; false: none does.
FAKE_CUDA_API bool fake_cuda_find(std::uint64_t address, std::uint64_t* base, std::size_t* bytes);
