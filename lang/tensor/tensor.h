// SPDX-License-Identifier: Apache-2.0
// The one tensor value of the host language: hidet.randn, torch.empty, kernel arguments. Dense, row-major.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include "compiler/ir/dtype.h"
#include "lang/base/device.h"
#include "lang/base/device_copy.h"
#include "lang/base/ref.h"

namespace hidet::lang {

// Bytes of a tensor, in host memory, where the emulator finds those of `cuda` tensors too. On a real GPU a copy is added
// there (runtime/cuda/device_tensor.h), and either side may be newer: reading fetches what launches wrote, writing marks
// the copy as stale. They begin as zeros, so that what a script prints never depends on what was there before.
class Storage {
public:
    explicit Storage(std::size_t bytes); // counted by the thread's meter
    // The host has none of it until somebody asks, which is counted then: of what comes into being on a device.
    struct OnDemand {};
    Storage(std::size_t bytes, OnDemand) : bytes(bytes) {}
    // Memory of somebody else, who is kept while it is in use: of NumPy, of PyTorch on the CPU.
    Storage(std::shared_ptr<std::byte[]> shared, std::size_t bytes) : bytes(bytes), m_data(std::move(shared)) {}
    // Memory of a device that was there before; the host has none of it until somebody reads.
    Storage(std::unique_ptr<DeviceCopy> copy, std::size_t bytes)
        : bytes(bytes), m_newer(Side::Device), m_copy(std::move(copy)) {}
    ~Storage();
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    const std::size_t bytes;
    // Set by empty(): reads of bytes never written are findings of the emulator. Cleared by whoever fills it.
    bool uninitialised = false;

    // Fail with a DiagnosticError without a place when the device cannot give the bytes, because a kernel broke it.
    const std::byte* read() {
        bring();
        return m_data.get();
    }
    std::byte* write() { // and read
        bring();
        m_newer = Side::Host;
        if (m_copy)
            m_copy->host_writes();
        return m_data.get();
    }

    // Of bytes of another storage, and to one value; on the device where the newest bytes are there.
    void copy(std::size_t at, Storage& from, std::size_t from_at, std::size_t count);
    void fill(std::size_t at, std::uint8_t value, std::size_t count);

    // For who launches kernels. Without a copy the host's bytes are the newer ones.
    DeviceCopy* device_copy() const { return m_copy.get(); }
    void set_device_copy(std::unique_ptr<DeviceCopy> copy) { m_copy = std::move(copy), m_newer = Side::Host; }
    bool is_device_stale() const { return m_newer == Side::Host; }
    void device_is_current() { m_newer = m_others_write ? Side::Device : Side::Neither; } // just uploaded
    void device_is_newer() { m_newer = Side::Device; }                                    // just launched
    // Others write to the device's bytes, too, and say nothing: the host's are never taken to be current.
    void share_device() { m_others_write = true; }

private:
    enum class Side : unsigned char { Host, Device, Neither };
    void bring() {
        if (m_newer == Side::Device)
            fetch();
        else if (!m_data)
            allocate();
    }
    void allocate();
    void fetch();
    bool has_device_for(std::size_t at, std::size_t count, const DeviceCopy* like);

    Side m_newer = Side::Host;
    bool m_is_counted = false;
    bool m_others_write = false;
    std::shared_ptr<std::byte[]> m_data;
    std::unique_ptr<DeviceCopy> m_copy;
};

class Tensor : public RefCounted {
public:
    ir::DType dtype = ir::DType::F32;
    std::vector<std::int64_t> shape;
    Device device = Device::Cpu;
    std::shared_ptr<Storage> storage; // null in preview: a shape without data
    std::size_t offset = 0;           // bytes into the storage
    bool is_torch = false;            // made by the torch-shaped module: prints and behaves as such
    // A copy of what would be a strided view in PyTorch: writing to it would be lost, so it is refused.
    bool is_strided_view = false;

    bool has_data() const { return storage != nullptr; }
    std::int64_t count() const; // elements
    const std::byte* read() const { return storage->read() + offset; }
    std::byte* data() const { return storage->write() + offset; } // to read and write
};
using TensorRef = Ref<Tensor>;

} // namespace hidet::lang
