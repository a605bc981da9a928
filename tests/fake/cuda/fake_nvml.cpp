// SPDX-License-Identifier: Apache-2.0
// A libnvidia-ml for the fake GPU: fixed clocks, and slowed down by its power limit.
#include <cstring>

#define ENTRY extern "C" __attribute__((visibility("default"))) int

ENTRY nvmlInit_v2() {
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
    *mhz = type == 1 ? 1755 : 3201;
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
    *bits = 0x4 | 0x1;
    return 0;
}
