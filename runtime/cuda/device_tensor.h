// SPDX-License-Identifier: Apache-2.0
// The bytes of a tensor on the GPU, as the tensors of the host language hold them (lang/tensor/tensor.h, Storage).
#pragma once

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

    DeviceAddress address() const { return m_buffer.address(); }
    Result<void> upload(const std::byte* from, std::size_t bytes);
    Result<void> clear();
    Result<void> download(std::byte* to, std::size_t bytes) override;

private:
    DeviceTensor(std::shared_ptr<Stream> stream, DeviceBuffer buffer)
        : m_stream(std::move(stream)), m_buffer(std::move(buffer)) {}

    std::shared_ptr<Stream> m_stream;
    DeviceBuffer m_buffer;
};

} // namespace hidet::cuda
