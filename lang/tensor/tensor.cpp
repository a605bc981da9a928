// SPDX-License-Identifier: Apache-2.0
#include "lang/tensor/tensor.h"

#include <algorithm>

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

} // namespace hidet::lang
