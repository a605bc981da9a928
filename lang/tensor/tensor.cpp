// SPDX-License-Identifier: Apache-2.0
#include "lang/tensor/tensor.h"

#include <algorithm>
#include <cstring>

#include "lang/base/memory_meter.h"
#include "lang/base/out_of_memory.h"
#include "lang/base/quantity.h"

namespace hidet::lang {

// Large ones come from the system as pages that cost nothing before they are used.
Storage::Storage(std::size_t bytes) : bytes(bytes) {
    allocate();
}

void Storage::allocate() {
    MemoryMeter* meter = current_meter();
    if (meter)
        meter->take(bytes);
    auto* data = static_cast<std::byte*>(std::calloc(std::max<std::size_t>(bytes, 1), 1));
    if (data) {
        m_data = std::shared_ptr<std::byte[]>(data, [](std::byte* own) { std::free(own); });
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
