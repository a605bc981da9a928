// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/monitor.h"

#include "runtime/cuda/library.h"

namespace hidet::cuda {

namespace {

using NvmlDevice = struct NvmlDeviceTag*;
constexpr int nvml_success = 0;
constexpr int clock_sm = 1, clock_memory = 2, temperature_gpu = 0;

struct Reason {
    std::uint64_t bit;
    const char* name;
};
// An idle GPU, or one whose clocks somebody chose, is not slowed down.
constexpr Reason reasons[] = {
    {0x4, "power limit"},           {0x8, "hardware slowdown"},       {0x10, "synchronised clocks"},
    {0x20, "temperature"},          {0x40, "temperature (hardware)"}, {0x80, "power brake"},
    {0x100, "clocks of a display"},
};

} // namespace

struct Monitor::Nvml {
    Library library{"HIDET_LIBNVML", driver_places("libnvidia-ml.so.1")};
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*find)(const char* bus_id, NvmlDevice* device) = nullptr;
    int (*clock)(NvmlDevice device, int type, unsigned* mhz) = nullptr;
    int (*temperature)(NvmlDevice device, int sensor, unsigned* celsius) = nullptr;
    int (*power)(NvmlDevice device, unsigned* milliwatts) = nullptr;
    int (*slowdown)(NvmlDevice device, unsigned long long* bits) = nullptr;
    NvmlDevice device = nullptr;

    bool open(const std::string& bus_id) {
        bool bound =
            library.bind(init, "nvmlInit_v2") && library.bind(shutdown, "nvmlShutdown") &&
            library.bind(find, "nvmlDeviceGetHandleByPciBusId_v2") && library.bind(clock, "nvmlDeviceGetClockInfo") &&
            library.bind(temperature, "nvmlDeviceGetTemperature") && library.bind(power, "nvmlDeviceGetPowerUsage");
        if (!bound || init() != nvml_success)
            return false;
        // Newer drivers have it under another name too.
        if (!library.bind(slowdown, "nvmlDeviceGetCurrentClocksThrottleReasons"))
            library.bind(slowdown, "nvmlDeviceGetCurrentClocksEventReasons");
        if (find(bus_id.c_str(), &device) == nvml_success)
            return true;
        shutdown();
        return false;
    }
};

Monitor::Monitor(const DeviceProperties& device) : m_nvml(std::make_unique<Nvml>()) {
    if (!m_nvml->open(device.bus_id))
        m_nvml = nullptr;
}

Monitor::~Monitor() {
    if (m_nvml)
        m_nvml->shutdown();
}

DeviceState Monitor::read() const {
    DeviceState state;
    if (!m_nvml)
        return state;
    unsigned value = 0;
    if (m_nvml->clock(m_nvml->device, clock_sm, &value) == nvml_success)
        state.sm_clock_mhz = static_cast<int>(value);
    if (m_nvml->clock(m_nvml->device, clock_memory, &value) == nvml_success)
        state.memory_clock_mhz = static_cast<int>(value);
    if (m_nvml->temperature(m_nvml->device, temperature_gpu, &value) == nvml_success)
        state.temperature_celsius = static_cast<int>(value);
    if (m_nvml->power(m_nvml->device, &value) == nvml_success)
        state.power_watts = value / 1000.0;
    unsigned long long bits = 0;
    if (m_nvml->slowdown && m_nvml->slowdown(m_nvml->device, &bits) == nvml_success) {
        state.slowed_by.emplace();
        for (const Reason& reason : reasons)
            if (bits & reason.bit)
                state.slowed_by->push_back(reason.name);
    }
    return state;
}

} // namespace hidet::cuda
