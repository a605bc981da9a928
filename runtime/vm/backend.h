// SPDX-License-Identifier: Apache-2.0
// Where launches of kernels go when they are not emulated: a real device behind the machine that runs host functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "compiler/artifact/launch_shape.h"
#include "compiler/artifact/program.h"
#include "compiler/artifact/tensor_map.h"
#include "lang/base/result.h"

namespace hidet::vm {

struct BufferInfo;

struct DeviceLaunch {
    const artifact::Function* kernel = nullptr; // its name and parameters
    artifact::LaunchShape shape;
    std::span<const std::uint64_t> args;              // as u registers hold them; pointers are addresses of the device
    std::span<const artifact::TensorMap* const> maps; // of arguments that are tensor maps, with addresses of the device
    std::span<const BufferInfo* const> buffers;       // what each pointer points to, for messages; null for scalars
};

// Errors have stable codes; lang/base/device_copy.h says which are the fault of the script.
class DeviceBackend {
public:
    virtual ~DeviceBackend() = default;
    // Asynchronous; errors of the kernel itself may come with a later call.
    virtual Result<void> launch(const DeviceLaunch& launch) = 0;
    // Workspace, asked for and given back by each call: the backend keeps it. An address of the device.
    virtual Result<std::uint64_t> allocate(std::size_t bytes, bool zeroed) = 0;
    virtual void free(std::uint64_t address) = 0;
    virtual Result<void> copy_to_device(std::uint64_t to, const void* from, std::size_t bytes) = 0;
    virtual Result<void> copy_to_host(void* to, std::uint64_t from, std::size_t bytes) = 0; // waits for launches
    virtual Result<void> copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes) = 0;
};

} // namespace hidet::vm
