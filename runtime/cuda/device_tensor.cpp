// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/device_tensor.h"

namespace hidet::cuda {

Result<std::unique_ptr<DeviceTensor>> DeviceTensor::create(std::shared_ptr<Stream> stream, std::size_t bytes,
                                                           std::string_view what) {
    HIDET_TRY(DeviceBuffer buffer, DeviceBuffer::allocate(stream, bytes, what));
    return std::unique_ptr<DeviceTensor>(new DeviceTensor(std::move(stream), std::move(buffer)));
}

std::unique_ptr<DeviceTensor> DeviceTensor::borrowed(std::shared_ptr<Stream> stream, DeviceAddress address,
                                                     std::size_t bytes, std::shared_ptr<void> owner) {
    return std::unique_ptr<DeviceTensor>(
        new DeviceTensor(std::move(stream), DeviceBuffer::borrowed(address, bytes, std::move(owner))));
}

Result<void> DeviceTensor::upload(const std::byte* from, std::size_t bytes) {
    return copy_to_device(*m_stream, address(), from, bytes);
}

Result<void> DeviceTensor::download(std::byte* to, std::size_t bytes) {
    return copy_to_host(*m_stream, to, address(), bytes);
}

std::unique_ptr<DeviceCopy> DeviceTensor::another(std::size_t bytes) const {
    Result<std::unique_ptr<DeviceTensor>> made = create(m_stream, bytes, "a copy");
    return made ? std::move(made).value() : nullptr;
}

bool DeviceTensor::copy_from(const DeviceCopy& other, std::size_t from, std::size_t to, std::size_t bytes) {
    const auto* source = dynamic_cast<const DeviceTensor*>(&other);
    return source && source->m_stream == m_stream &&
           copy_on_device(*m_stream, address() + to, source->address() + from, bytes).ok();
}

bool DeviceTensor::fill(std::size_t at, std::uint8_t value, std::size_t bytes) {
    return cuda::fill(*m_stream, address() + at, value, bytes).ok();
}

} // namespace hidet::cuda
