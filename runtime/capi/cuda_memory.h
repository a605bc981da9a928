// SPDX-License-Identifier: Apache-2.0
// Memory on a GPU: the caller's allocator or the driver's, and the blocks of a context, which are kept for reuse.
#pragma once

#include "runtime/capi/cuda_gpu.h"

namespace hidet::capi {

inline constexpr std::uint64_t block_alignment = 256; // bytes

struct DeviceBlock { // what a package::Buffer is on a GPU
    DeviceBlock* next = nullptr;
    DeviceAddress address = 0;
    std::uint64_t bytes = 0;
};
inline package::Buffer* buffer_of(DeviceBlock* block) {
    return reinterpret_cast<package::Buffer*>(block);
}
inline const DeviceBlock* device_block_of(package::Address address) {
    return reinterpret_cast<const DeviceBlock*>(address.buffer);
}
inline DeviceAddress device_address(package::Address address) {
    return device_block_of(address)->address + address.offset;
}

class Allocator {
public:
    Allocator() = default;
    explicit Allocator(const hidet_allocator* callers); // null: the driver
    bool is_callers() const { return m_callers.allocate != nullptr; }

    // In a context that is current. False: there is none left, and the problem says how many bytes were wanted.
    bool allocate(const Gpu& gpu, std::uint64_t bytes, cuda::StreamHandle stream, DeviceBlock& block,
                  Problem& problem) const;
    void release(const Gpu& gpu, const DeviceBlock& block, cuda::StreamHandle stream) const;

private:
    bool refuse_memory(const Gpu& gpu, std::uint64_t bytes, Problem& problem) const;

    hidet_allocator m_callers = {};
};

// Of one context. A block that was released is given again, as runs of a context follow each other on the GPU; so what is bound
// again usually needs no memory. The allocator is asked for the context's stream, and what it gets back there is no longer used,
// as that stream waits for the last run before.
class Blocks {
public:
    void open(const Gpu& gpu, const Allocator& allocator, cuda::StreamHandle stream, cuda::EventHandle last_run);
    void close(); // those that were released: all, by then

    DeviceBlock* take(std::uint64_t bytes, Problem& problem); // null: none
    void give_back(DeviceBlock* block);
    std::uint64_t held() const { return m_used + m_unused; } // bytes

    bool is_fixed = false;  // while work is being recorded, when no memory can be had but what is unused
    bool has_grown = false; // since somebody said that it has not

private:
    DeviceBlock* take_unused(std::uint64_t bytes);
    bool allocate(std::uint64_t bytes, DeviceBlock& block, Problem& problem);
    void trim(std::uint64_t most);

    const Gpu* m_gpu = nullptr;
    Allocator m_allocator;
    cuda::StreamHandle m_stream = nullptr;
    cuda::EventHandle m_last_run = nullptr;
    DeviceBlock* m_free = nullptr;
    std::uint64_t m_used = 0, m_unused = 0;
};

} // namespace hidet::capi
