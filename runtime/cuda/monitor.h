// SPDX-License-Identifier: Apache-2.0
// The state of a GPU while it is measured, through NVML where that is there: a figure without its clock says little.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cuda/device.h"

namespace hidet::cuda {

struct DeviceState { // what is not known is empty
    std::optional<int> sm_clock_mhz;
    std::optional<int> memory_clock_mhz;
    std::optional<int> temperature_celsius;
    std::optional<double> power_watts;
    std::optional<std::vector<std::string>> slowed_by; // "power limit", "temperature"; empty: by nothing
};

class Monitor {
public:
    // Where NVML is missing or does not know the device, every state is unknown. HIDET_LIBNVML says where the library is.
    explicit Monitor(const DeviceProperties& device);
    ~Monitor();
    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;
    bool works() const { return m_nvml != nullptr; }
    DeviceState read() const;

private:
    struct Nvml;
    std::unique_ptr<Nvml> m_nvml;
};

} // namespace hidet::cuda
