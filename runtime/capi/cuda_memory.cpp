// SPDX-License-Identifier: Apache-2.0
#include "runtime/capi/cuda_memory.h"

#include <cstdlib>

namespace hidet::capi {

using package::Code;
using package::refuse;

Allocator::Allocator(const hidet_allocator* callers) {
    if (callers)
        m_callers = *callers;
}

bool Allocator::refuse_memory(const Gpu& gpu, std::uint64_t bytes, Problem& problem) const {
    std::size_t free = 0, total = 0;
    if (is_callers())
        return refuse(problem, Code::Memory, "the caller's allocator has no ", bytes, " bytes on ", gpu.name);
    if (gpu.api->memory_get_info(&free, &total) != Status::Success)
        return refuse(problem, Code::Memory, gpu.name, " has no ", bytes, " bytes left");
    return refuse(problem, Code::Memory, gpu.name, " has no ", bytes, " bytes left: ", free, " of its ", total,
                  " are free");
}

bool Allocator::allocate(const Gpu& gpu, std::uint64_t bytes, cuda::StreamHandle stream, DeviceBlock& block,
                         Problem& problem) const {
    const std::uint64_t wanted = bytes > 0 ? bytes : 1; // none at all is an error to the driver
    block.bytes = (wanted + block_alignment - 1) / block_alignment * block_alignment;
    if (!is_callers()) {
        const Status status = gpu.api->memory_allocate(&block.address, block.bytes);
        return status == Status::OutOfMemory
                   ? refuse_memory(gpu, block.bytes, problem)
                   : succeeds(status, problem, "allocating ", block.bytes, " bytes on ", gpu.name);
    }
    void* const data = m_callers.allocate(m_callers.self, {HIDET_CUDA, gpu.id}, block.bytes, block_alignment, stream);
    block.address = reinterpret_cast<DeviceAddress>(data);
    if (!data)
        return refuse_memory(gpu, block.bytes, problem);
    if (block.address % block_alignment == 0)
        return true;
    release(gpu, block, stream);
    return refuse(problem, Code::Memory, "the caller's allocator gave memory that is not aligned to ", block_alignment,
                  " bytes");
}

void Allocator::release(const Gpu& gpu, const DeviceBlock& block, cuda::StreamHandle stream) const {
    if (!is_callers())
        gpu.api->memory_free(block.address);
    else if (m_callers.release)
        m_callers.release(m_callers.self, {HIDET_CUDA, gpu.id}, reinterpret_cast<void*>(block.address), block.bytes,
                          stream);
}

// The smallest that is large enough, and not so large that it would be missed.
DeviceBlock* Blocks::take_unused(std::uint64_t bytes) {
    constexpr std::uint64_t small = std::uint64_t{1} << 20;
    DeviceBlock** best = nullptr;
    for (DeviceBlock** each = &m_free; *each; each = &(*each)->next)
        if ((*each)->bytes >= bytes && (*each)->bytes / 2 <= bytes + small &&
            (!best || (*each)->bytes < (*best)->bytes))
            best = each;
    if (!best)
        return nullptr;
    DeviceBlock* const block = *best;
    *best = block->next;
    m_unused -= block->bytes;
    m_used += block->bytes;
    return block;
}

bool Blocks::allocate(std::uint64_t bytes, DeviceBlock& block, Problem& problem) {
    trim(m_used);
    if (m_allocator.allocate(*m_gpu, bytes, m_stream, block, problem))
        return true;
    if (problem.code != Code::Memory || !m_free)
        return false;
    trim(0);
    problem.clear();
    return m_allocator.allocate(*m_gpu, bytes, m_stream, block, problem);
}

DeviceBlock* Blocks::take(std::uint64_t bytes, Problem& problem) {
    if (DeviceBlock* unused = take_unused(bytes))
        return unused;
    if (is_fixed) {
        refuse(problem, Code::Failed, "memory is needed while work is recorded");
        return nullptr;
    }
    const Entered entered(*m_gpu);
    if (!entered.is_ok(problem))
        return nullptr;
    void* const place = std::malloc(sizeof(DeviceBlock));
    if (!place) {
        refuse(problem, Code::Memory, "memory for the tables of a run");
        return nullptr;
    }
    auto* const block = new (place) DeviceBlock;
    if (!allocate(bytes, *block, problem)) {
        std::free(place);
        return nullptr;
    }
    m_used += block->bytes;
    has_grown = true;
    return block;
}

void Blocks::give_back(DeviceBlock* block) {
    block->next = m_free;
    m_free = block;
    m_used -= block->bytes;
    m_unused += block->bytes;
}

// Keeps no more than that of what is unused.
void Blocks::trim(std::uint64_t most) {
    if (m_free && m_unused > most && m_allocator.is_callers())
        m_gpu->api->stream_wait_event(m_stream, m_last_run, 0);
    while (m_free && m_unused > most) {
        DeviceBlock* const block = m_free;
        m_free = block->next;
        m_unused -= block->bytes;
        m_allocator.release(*m_gpu, *block, m_stream);
        std::free(block);
    }
}

void Blocks::open(const Gpu& gpu, const Allocator& allocator, cuda::StreamHandle stream, cuda::EventHandle last_run) {
    m_gpu = &gpu;
    m_allocator = allocator;
    m_stream = stream;
    m_last_run = last_run;
}

void Blocks::close() {
    if (!m_free)
        return;
    const Entered entered(*m_gpu);
    trim(0);
}

} // namespace hidet::capi
