// SPDX-License-Identifier: Apache-2.0
// Memory of a GPU that other libraries of the process use, too: theirs is borrowed, ours is lent, in the order of the caller's
// stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lang/base/result.h"
#include "lang/tensor/tensor.h"

namespace hidet::session {

struct Gpu;
class LaunchRecord;

class SharedDevice {
public:
    explicit SharedDevice(Gpu& gpu) : m_gpu(gpu) {}

    int ordinal() const;
    // What is launched from now on comes behind the work of that stream, and that stream's later work behind it.
    Result<void> follow(void* stream);
    std::shared_ptr<lang::Storage> borrow(std::uint64_t address, std::size_t bytes, std::shared_ptr<void> owner);
    // Where a kernel that is launched next finds the tensor, which it may write to.
    Result<std::uint64_t> place_for_kernel(lang::Tensor& tensor);
    Result<void> launch(LaunchRecord& record, std::span<const std::uint64_t> addresses);
    // Where the tensor's bytes are, or will be when the stream has come so far.
    Result<std::uint64_t> lend(lang::Tensor& tensor);
    // A call of the driver by its name (device_calls.cpp), with handles, addresses and sizes as numbers.
    Result<std::vector<std::int64_t>> call(std::string_view function, std::span<const std::int64_t> arguments);
    // The host has written to tensors that others see on the device: so that they see it.
    Result<void> upload_written();

private:
    void share(const std::shared_ptr<lang::Storage>& storage);

    Gpu& m_gpu;
    std::vector<std::weak_ptr<lang::Storage>> m_written;
};

} // namespace hidet::session
