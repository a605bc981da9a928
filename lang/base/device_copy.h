// SPDX-License-Identifier: Apache-2.0
// The seam between tensors of the host language and real devices: tensors know that a copy of their bytes may lie on a
// device, devices know that somebody may want it back.
#pragma once

#include <cstddef>

#include "lang/base/diagnostic.h"
#include "lang/base/result.h"

namespace hidet {

class DeviceCopy {
public:
    virtual ~DeviceCopy() = default;
    // The bytes as they are after everything that was launched; waits for it.
    virtual Result<void> download(std::byte* to, std::size_t bytes) = 0;
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
