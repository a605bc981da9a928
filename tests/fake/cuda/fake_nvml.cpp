// SPDX-License-Identifier: Apache-2.0
// A libnvidia-ml for the fake GPU: fixed clocks, and slowed down by its power limit. HIDET_FAKE_NVML="1980,1410;20" has one clock a
// reading, the last one for all others, and what slows it down, in hexadecimal.
#include <cstdlib>
#include <cstring>
#include <string>

#define ENTRY extern "C" __attribute__((visibility("default"))) int

namespace {

std::size_t reading = 0; // since it was opened

std::string told(bool reasons) {
    const char* given = std::getenv("HIDET_FAKE_NVML");
    const std::string text = given ? given : "";
    const std::size_t end = text.find(';');
    return reasons ? (end == std::string::npos ? "" : text.substr(end + 1)) : text.substr(0, end);
}

unsigned next_clock() {
    std::string clocks = told(false);
    for (std::size_t i = 0; i < reading && clocks.find(',') != std::string::npos; ++i)
        clocks = clocks.substr(clocks.find(',') + 1);
    ++reading;
    return clocks.empty() ? 1755 : static_cast<unsigned>(std::atoi(clocks.c_str()));
}

} // namespace

ENTRY nvmlInit_v2() {
    reading = 0;
    return 0;
}
ENTRY nvmlShutdown() {
    return 0;
}
ENTRY nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
    static int the_device = 0;
    *device = &the_device;
    return std::strcmp(bus_id, "0000:00:0F.0") == 0 ? 0 : 6;
}
ENTRY nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) {
    *mhz = type == 1 ? next_clock() : 3201;
    return 0;
}
ENTRY nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
    *celsius = 61;
    return 0;
}
ENTRY nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
    *milliwatts = 512500;
    return 0;
}
ENTRY nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
    const std::string reasons = told(true);
    *bits = reasons.empty() ? 0x4 | 0x1 : std::strtoull(reasons.c_str(), nullptr, 16);
    return 0;
}
