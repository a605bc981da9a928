// SPDX-License-Identifier: Apache-2.0
#include "lang/base/memory_meter.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

namespace hidet {

namespace {

constinit thread_local MemoryMeter* t_meter = nullptr;

constexpr std::uint64_t small = 64 << 10;         // bytes of an allocation
constexpr std::uint64_t slack = 32 << 20;         // for small ones beyond the limit
constexpr std::uint64_t traffic_of_each = 256;    // as long as a small allocation takes, in bytes that are filled
constexpr std::uint64_t between_looks = 64 << 20; // of traffic

// Of the process; 0 where the system does not say.
std::uint64_t resident_bytes() noexcept {
    const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    char text[128] = {};
    const ssize_t count = ::read(file, text, sizeof text - 1);
    ::close(file);
    char* second = nullptr; // of the numbers: pages
    if (count > 0)
        std::strtoull(text, &second, 10);
    return second ? std::strtoull(second, nullptr, 10) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

bool has_grown(const MemoryMeter& meter, std::uint64_t bytes) {
    return resident_bytes() > meter.resident_before + std::min(bytes, UINT64_MAX / 2);
}

// Before bytes are taken. What cleans up after an exception takes what it needs: another one would end the process.
[[gnu::noinline]] void look(MemoryMeter& meter, std::uint64_t bytes) {
    if (std::uncaught_exceptions() > 0)
        return;
    if (!meter.has_room_for(bytes < small ? 0 : bytes) &&
        (bytes >= small || static_cast<std::uint64_t>(meter.held) > meter.limit + slack))
        throw MeterStop(MeterStop::Why::Memory, bytes);
    if (meter.traffic < meter.next_look)
        return;
    meter.next_look = meter.traffic + between_looks;
    if (meter.cancelled && meter.cancelled->load(std::memory_order_relaxed))
        throw MeterStop(MeterStop::Why::Cancelled, bytes);
    if (meter.traffic > meter.traffic_limit)
        throw MeterStop(MeterStop::Why::Work, bytes);
    if (!has_grown(meter, meter.limit))
        return;
    malloc_trim(0);
    if (has_grown(meter, meter.growth_limit))
        throw MeterStop(MeterStop::Why::Memory, bytes);
}

void before(MemoryMeter& meter, std::uint64_t bytes) {
    meter.traffic += bytes + traffic_of_each;
    if (!meter.has_room_for(bytes) || meter.traffic >= meter.next_look)
        look(meter, bytes);
}

template <class Allocate>
void* allocated(std::size_t bytes, Allocate allocate) {
    MemoryMeter* meter = t_meter;
    if (meter)
        before(*meter, bytes);
    void* memory = nullptr;
    while (!(memory = allocate())) {
        std::new_handler handler = std::get_new_handler();
        if (!handler)
            throw std::bad_alloc();
        handler();
    }
    if (meter)
        meter->held += static_cast<std::int64_t>(malloc_usable_size(memory));
    return memory;
}

} // namespace

MemoryMeter* current_meter() noexcept {
    return t_meter;
}

void give_back_memory(const MemoryMeter& meter) noexcept {
    constexpr std::uint64_t little = 64 << 20;
    if (meter.traffic > little && has_grown(meter, little))
        malloc_trim(0);
}

void MemoryMeter::take(std::uint64_t bytes) {
    before(*this, bytes);
    held += static_cast<std::int64_t>(bytes);
}

void MemoryMeter::give(std::uint64_t bytes) noexcept {
    held -= static_cast<std::int64_t>(bytes);
}

MeterScope::MeterScope(MemoryMeter& meter)
    : m_meter(meter), m_outer(t_meter), m_limit(meter.limit), m_before(meter.held) {
    if (m_outer && m_outer != &meter) {
        const std::uint64_t taken = static_cast<std::uint64_t>(std::max<std::int64_t>(m_outer->held, 0));
        const std::uint64_t left = m_outer->limit - std::min(m_outer->limit, taken);
        const std::uint64_t own = static_cast<std::uint64_t>(std::max<std::int64_t>(meter.held, 0));
        meter.limit = left < meter.limit && own < meter.limit - left ? own + left : meter.limit;
    }
    meter.resident_before = resident_bytes();
    t_meter = &meter;
}

MeterScope::~MeterScope() {
    m_meter.limit = m_limit;
    if (m_outer && m_outer != &m_meter)
        m_outer->held += m_meter.held - m_before;
    t_meter = m_outer;
}

} // namespace hidet

// ---- the replaced operators: the others of the language call these ---------------------------------------------------

void* operator new(std::size_t bytes) {
    return hidet::allocated(bytes, [&] { return std::malloc(bytes ? bytes : 1); });
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    const auto to = static_cast<std::size_t>(alignment);
    return hidet::allocated(bytes, [&] { return std::aligned_alloc(to, (std::max(bytes, to) + to - 1) / to * to); });
}
// The library's own would call the one above, but a sanitizer's does not.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    try {
        return operator new(bytes);
    } catch (...) {
        return nullptr;
    }
}
void operator delete(void* memory) noexcept {
    if (hidet::t_meter && memory)
        hidet::t_meter->held -= static_cast<std::int64_t>(malloc_usable_size(memory));
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
    operator delete(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    operator delete(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    operator delete(memory);
}
