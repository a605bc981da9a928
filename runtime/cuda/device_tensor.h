// SPDX-License-Identifier: Apache-2.0
// The bytes of a tensor on the GPU, as the tensors of the host language hold them (lang/tensor/tensor.h, Storage).
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "lang/base/device_copy.h"
#include "runtime/cuda/memory.h"

namespace hidet::cuda {

class DeviceTensor : public DeviceCopy {
public:
    // `what` is how messages call it: "'a' (f32[4096, 4096])".
    static Result<std::unique_ptr<DeviceTensor>> create(std::shared_ptr<Stream> stream, std::size_t bytes,
                                                        std::string_view what);

    // Memory of somebody else, who is kept.
    static std::unique_ptr<DeviceTensor> borrowed(std::shared_ptr<Stream> stream, DeviceAddress address,
                                                  std::size_t bytes, std::shared_ptr<void> owner);
    // Called before the host changes its own bytes of it.
    void before_host_writes(std::function<void()> told) { m_written = std::move(told); }

    DeviceAddress address() const { return m_buffer.address(); }
    Result<void> upload(const std::byte* from, std::size_t bytes);
    Result<void> clear() { return cuda::fill(*m_stream, address(), 0, m_buffer.bytes()); }
    Result<void> download(std::byte* to, std::size_t bytes) override;
    std::unique_ptr<DeviceCopy> another(std::size_t bytes) const override;
    bool copy_from(const DeviceCopy& other, std::size_t from, std::size_t to, std::size_t bytes) override;
    bool fill(std::size_t at, std::uint8_t value, std::size_t bytes) override;
    void host_writes() override {
        if (m_written)
            m_written();
    }

private:
    DeviceTensor(std::shared_ptr<Stream> stream, DeviceBuffer buffer)
        : m_stream(std::move(stream)), m_buffer(std::move(buffer)) {}

    std::shared_ptr<Stream> m_stream;
    DeviceBuffer m_buffer;
    std::function<void()> m_written;
};

} // namespace hidet::cuda
