// SPDX-License-Identifier: Apache-2.0
// The one tensor value of the host language: hidet.randn, torch.empty, kernel arguments. Dense, row-major.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/dtype.h"
#include "lang/base/ref.h"

namespace hidet::lang {

enum class Device : unsigned char { Cpu, Cuda };
const char* device_name(Device device); // "cpu", "cuda:0"

// Bytes on a device. In this process also `cuda` tensors live in host memory (emulated) unless the engine says otherwise.
// They begin as zeros, so that what a script prints never depends on what was there before.
struct Storage {
    explicit Storage(std::size_t bytes) : bytes(bytes), data(new std::byte[bytes]()) {}
    std::size_t bytes;
    std::unique_ptr<std::byte[]> data;
    // Set by empty(): reads of bytes never written are findings of the emulator. Cleared by whoever fills it.
    bool uninitialised = false;
    std::shared_ptr<void> hold; // what counts the bytes against a budget
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
    std::byte* data() const { return storage->data.get() + offset; }
};
using TensorRef = Ref<Tensor>;

} // namespace hidet::lang
