// SPDX-License-Identifier: Apache-2.0
// Memory of the device, and host memory that it can reach directly.
#pragma once

#include <memory>
#include <string_view>

#include "runtime/cuda/stream.h"

namespace hidet::cuda {

// Belongs to a stream: work of the stream that was started before this is destroyed still finds the memory.
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    // `what` is what the memory is for, in the message when there is none left: "'a' (f32[4096, 4096])".
    static Result<DeviceBuffer> allocate(std::shared_ptr<Stream> stream, std::size_t bytes, std::string_view what);
    // Memory of somebody else, whose owner is kept.
    static DeviceBuffer borrowed(DeviceAddress address, std::size_t bytes, std::shared_ptr<void> owner);
    ~DeviceBuffer();
    DeviceBuffer(DeviceBuffer&& other) noexcept;
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

    DeviceAddress address() const { return m_address; }
    std::size_t bytes() const { return m_bytes; }
    explicit operator bool() const { return m_address != 0; }

private:
    std::shared_ptr<Stream> m_stream; // null: it is borrowed
    std::shared_ptr<void> m_owner;
    DeviceAddress m_address = 0;
    std::size_t m_bytes = 0;
    bool m_pooled = false;
};

// In the order of the stream. From pageable host memory the bytes are taken before the call returns; to pageable host memory
// they are there when it returns.
Result<void> copy_to_device(Stream& stream, DeviceAddress to, const void* from, std::size_t bytes);
Result<void> copy_to_host(Stream& stream, void* to, DeviceAddress from, std::size_t bytes); // waits, within limits
Result<void> copy_to_host_async(Stream& stream, void* to, DeviceAddress from, std::size_t bytes); // `to` is pinned
Result<void> copy_on_device(Stream& stream, DeviceAddress to, DeviceAddress from, std::size_t bytes);
Result<void> fill(Stream& stream, DeviceAddress to, unsigned char value, std::size_t bytes);

struct MemoryUse {
    std::size_t free = 0;
    std::size_t total = 0;
};
Result<MemoryUse> memory_use(Context& context);

} // namespace hidet::cuda
