// SPDX-License-Identifier: Apache-2.0
#include "lang/tensor/tensor.h"

#include <cstdlib>
#include <cstring>
#include <memory>

#include "lang/base/memory_meter.h"
#include "lang/base/out_of_memory.h"
#include "lang/base/quantity.h"

namespace hidet::lang {

namespace {

// Of what vectors of a CPU are read from: one that reaches into a second line of the cache takes twice as long.
constexpr std::size_t alignment = 64;

// Zeros; the system's pages cost nothing before they are used. Null: there is no memory.
std::shared_ptr<std::byte[]> aligned_zeros(std::size_t bytes) {
    std::size_t space = bytes + alignment;
    void* whole = space > bytes ? std::calloc(space, 1) : nullptr;
    if (!whole)
        return nullptr;
    void* data = whole;
    std::align(alignment, bytes, data, space);
    return {static_cast<std::byte*>(data), [whole](std::byte*) { std::free(whole); }};
}

} // namespace

Storage::Storage(std::size_t bytes) : bytes(bytes) {
    allocate();
}

void Storage::allocate() {
    MemoryMeter* meter = current_meter();
    if (meter)
        meter->take(bytes);
    m_data = aligned_zeros(bytes);
    if (m_data) {
        m_is_counted = true;
        return;
    }
    if (meter)
        meter->give(bytes);
    throw OutOfMemory(bytes_text(static_cast<double>(bytes)));
}

Storage::~Storage() {
    if (MemoryMeter* meter = m_is_counted ? current_meter() : nullptr)
        meter->give(bytes);
}

void Storage::fetch() {
    if (!m_data)
        allocate();
    if (Result<void> fetched = m_copy->download(m_data.get(), bytes); !fetched)
        fail(diagnostic_of(fetched.error()), Span(), fetched.error().message);
    device_is_current();
}

// Whether those bytes can be written on the device: the others are the newest there, or there are none. `like`: of the same device
// shall be what is made where there is no copy yet.
bool Storage::has_device_for(std::size_t at, std::size_t count, const DeviceCopy* like) {
    const bool is_whole = at == 0 && count == bytes;
    if (!is_whole && m_newer == Side::Host)
        return false;
    if (!m_copy && like)
        m_copy = like->another(bytes);
    return m_copy != nullptr;
}

void Storage::copy(std::size_t at, Storage& from, std::size_t from_at, std::size_t count) {
    if (count == 0)
        return;
    const bool is_on_device = &from != this && from.m_copy && from.m_newer != Side::Host;
    if (is_on_device && has_device_for(at, count, from.m_copy.get()) &&
        m_copy->copy_from(*from.m_copy, from_at, at, count))
        device_is_newer();
    else
        std::memmove(write() + at, from.read() + from_at, count);
    uninitialised = false;
}

void Storage::fill(std::size_t at, std::uint8_t value, std::size_t count) {
    if (count == 0)
        return;
    if (has_device_for(at, count, nullptr) && m_copy->fill(at, value, count))
        device_is_newer();
    else
        std::memset(write() + at, value, count);
    uninitialised = false;
}

} // namespace hidet::lang
