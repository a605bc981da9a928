// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/memory.h"

#include <algorithm>
#include <utility>

#include "lang/base/text.h"

namespace hidet::cuda {

namespace {

Error out_of_memory(Context& context, std::size_t bytes, std::string_view what) {
    std::string message = cat("the device is out of memory: ", what, " needs ", bytes_text(bytes));
    if (auto use = memory_use(context))
        message += cat(", and ", bytes_text(use.value().free), " of the ", bytes_text(use.value().total), " of ",
                       context.device().name(), " are free");
    return {"out-of-device-memory", message};
}

// Enters the context, then makes the call of the driver.
template <class Call>
Result<void> in_stream(Stream& stream, const char* doing, Call&& call) {
    Context& context = stream.context();
    HIDET_TRY_TO(context.enter());
    return context.check(call(context.api()), doing);
}

} // namespace

Result<DeviceBuffer> DeviceBuffer::allocate(std::shared_ptr<Stream> stream, std::size_t bytes, std::string_view what) {
    Context& context = stream->context();
    HIDET_TRY_TO(context.enter());
    const Api& api = context.api();
    DeviceBuffer buffer;
    buffer.m_bytes = bytes;
    buffer.m_pooled = context.device().has_memory_pools;
    std::size_t asked = std::max<std::size_t>(bytes, 1); // none at all is an error to the driver
    Status status = buffer.m_pooled ? api.memory_allocate_async(&buffer.m_address, asked, stream->handle())
                                    : api.memory_allocate(&buffer.m_address, asked);
    if (status == Status::OutOfMemory)
        return out_of_memory(context, bytes, what);
    if (status != Status::Success)
        return context.failure(status, cat("allocating ", bytes_text(bytes), " for ", what));
    buffer.m_stream = std::move(stream);
    return buffer;
}

DeviceBuffer DeviceBuffer::borrowed(DeviceAddress address, std::size_t bytes, std::shared_ptr<void> owner) {
    DeviceBuffer buffer;
    buffer.m_address = address;
    buffer.m_bytes = bytes;
    buffer.m_owner = std::move(owner);
    return buffer;
}

DeviceBuffer::~DeviceBuffer() {
    if (!m_address || !m_stream || !m_stream->context().enter_to_free())
        return;
    const Api& api = m_stream->context().api();
    if (m_pooled)
        api.memory_free_async(m_address, m_stream->handle());
    else
        api.memory_free(m_address);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept {
    *this = std::move(other);
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
    std::swap(m_stream, other.m_stream);
    std::swap(m_owner, other.m_owner);
    std::swap(m_address, other.m_address);
    std::swap(m_bytes, other.m_bytes);
    std::swap(m_pooled, other.m_pooled);
    return *this;
}

Result<void> copy_to_device(Stream& stream, DeviceAddress to, const void* from, std::size_t bytes) {
    if (bytes == 0)
        return {};
    auto copied = in_stream(stream, "copying to the device",
                            [&](const Api& api) { return api.copy_to_device_async(to, from, bytes, stream.handle()); });
    return copied && stream.context().device().reads_pageable_memory ? stream.wait() : copied;
}

Result<void> copy_to_host_async(Stream& stream, void* to, DeviceAddress from, std::size_t bytes) {
    if (bytes == 0)
        return {};
    return in_stream(stream, "copying from the device",
                     [&](const Api& api) { return api.copy_to_host_async(to, from, bytes, stream.handle()); });
}

Result<void> copy_to_host(Stream& stream, void* to, DeviceAddress from, std::size_t bytes) {
    // First the launches: the copy itself would wait for them without an end and without a word about the kernel.
    HIDET_TRY_TO(stream.wait());
    HIDET_TRY_TO(copy_to_host_async(stream, to, from, bytes));
    return stream.wait();
}

Result<void> copy_on_device(Stream& stream, DeviceAddress to, DeviceAddress from, std::size_t bytes) {
    if (bytes == 0)
        return {};
    return in_stream(stream, "copying on the device",
                     [&](const Api& api) { return api.copy_on_device_async(to, from, bytes, stream.handle()); });
}

Result<void> fill(Stream& stream, DeviceAddress to, unsigned char value, std::size_t bytes) {
    if (bytes == 0)
        return {};
    return in_stream(stream, "filling memory of the device",
                     [&](const Api& api) { return api.fill_bytes_async(to, value, bytes, stream.handle()); });
}

Result<MemoryUse> memory_use(Context& context) {
    HIDET_TRY_TO(context.enter());
    MemoryUse use;
    HIDET_TRY_TO(context.check(context.api().memory_get_info(&use.free, &use.total), "asking for free memory"));
    return use;
}

} // namespace hidet::cuda
