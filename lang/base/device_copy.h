// SPDX-License-Identifier: Apache-2.0
// The seam between tensors of the host language and real devices: tensors know that a copy of their bytes may lie on a
// device, devices know that somebody may want it back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "lang/base/diagnostic.h"
#include "lang/base/result.h"

namespace hidet {

class DeviceCopy {
public:
    virtual ~DeviceCopy() = default;
    // The bytes as they are after everything that was launched; waits for it.
    virtual Result<void> download(std::byte* to, std::size_t bytes) = 0;
    // Another of so many bytes on the same device. Null: it has no room, or cannot be asked.
    virtual std::unique_ptr<DeviceCopy> another(std::size_t) const { return nullptr; }
    // Both behind what was launched, without waiting. False: the host has to do it.
    virtual bool copy_from(const DeviceCopy& other, std::size_t from, std::size_t to, std::size_t bytes) {
        (void)other, (void)from, (void)to, (void)bytes;
        return false;
    }
    virtual bool fill(std::size_t at, std::uint8_t value, std::size_t bytes) {
        (void)at, (void)value, (void)bytes;
        return false;
    }
    // The host is about to write its own bytes, which are the newer ones from then on.
    virtual void host_writes() {}
};

// Errors of a device have stable codes (runtime/cuda/errors.h). Of these the script is to blame, not the machine.
inline bool is_fault_of_script(const Error& error) {
    return error.code == "kernel-fault" || error.code == "kernel-timeout" || error.code == "launch-failed";
}
inline DiagId diagnostic_of(const Error& device_error) {
    return is_fault_of_script(device_error) ? DiagId::KernelFault : DiagId::DeviceError;
}

} // namespace hidet
