// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/shared_device.h"

#include <utility>

#include "app/session/execute/gpu_repeat.h"
#include "app/session/execute/launch_record.h"
#include "runtime/cuda/device_tensor.h"

namespace hidet::session {

namespace {

cuda::DeviceTensor& on_device(lang::Storage& storage) {
    return static_cast<cuda::DeviceTensor&>(*storage.device_copy());
}

} // namespace

int SharedDevice::ordinal() const {
    return m_gpu.device().ordinal;
}

Result<void> SharedDevice::follow(void* stream) {
    return m_gpu.backend.stream()->follow(static_cast<cuda::StreamHandle>(stream));
}

void SharedDevice::share(const std::shared_ptr<lang::Storage>& storage) {
    storage->share_device();
    on_device(*storage).before_host_writes([this, weak = std::weak_ptr(storage)] { m_written.push_back(weak); });
}

std::shared_ptr<lang::Storage> SharedDevice::borrow(std::uint64_t address, std::size_t bytes,
                                                    std::shared_ptr<void> owner) {
    if (bytes == 0) // which may be nowhere, and a kernel is given an address
        return std::make_shared<lang::Storage>(0);
    auto storage = std::make_shared<lang::Storage>(
        cuda::DeviceTensor::borrowed(m_gpu.backend.stream(), address, bytes, std::move(owner)), bytes);
    share(storage);
    return storage;
}

Result<std::uint64_t> SharedDevice::place_for_kernel(lang::Tensor& tensor) {
    HIDET_TRY(const std::uint64_t address, place_on_device(m_gpu, tensor, "a tensor"));
    tensor.storage->device_is_newer();
    tensor.storage->uninitialised = false;
    return address;
}

Result<void> SharedDevice::launch(LaunchRecord& record, std::span<const std::uint64_t> addresses) {
    return record.launch(*m_gpu.backend.stream(), addresses);
}

Result<std::uint64_t> SharedDevice::lend(lang::Tensor& tensor) {
    HIDET_TRY(const std::uint64_t address, place_for_kernel(tensor));
    share(tensor.storage);
    return address;
}

Result<void> SharedDevice::upload_written() {
    for (const std::weak_ptr<lang::Storage>& each : std::exchange(m_written, {})) {
        const std::shared_ptr<lang::Storage> storage = each.lock();
        if (!storage || !storage->is_device_stale())
            continue;
        HIDET_TRY_TO(on_device(*storage).upload(storage->read(), storage->bytes));
        storage->device_is_current();
    }
    return {};
}

} // namespace hidet::session
