// SPDX-License-Identifier: Apache-2.0
// Finding the driver. What is found is kept, so these cases have a process of their own, in which the last alone finds one.
#include "tests/unit/capi/cuda_rig.h"

using namespace hidet;
using namespace hidet::test;

TEST_CASE("a driver that is missing, too old or of no GPU is told, and looked for again") {
    const auto error_with = [](const char* path, const char* settings) {
        GpuRig rig(settings);
        setenv("HIDET_LIBCUDA", path, 1);
        const std::string error = rig.create_error();
        REQUIRE(rig.error.status != HIDET_OK);
        return error;
    };
    const char* const fake = HIDET_FAKE_CUDA_LIBRARY;
    REQUIRE(error_with("/nowhere/libcuda.so.1", "")
                .starts_with("no NVIDIA driver: /nowhere/libcuda.so.1 cannot be loaded ("));
    REQUIRE(error_with("libm.so.6", "") == "no NVIDIA driver: the library has no 'cuInit'");
    REQUIRE(error_with(fake, "driver=11040")
                .starts_with("the NVIDIA driver is too old: it supports CUDA 11.4; CUDA 12.0 is needed"));
    REQUIRE(error_with(fake, "init=100") == "the NVIDIA driver is there, but it sees no GPU");
    REQUIRE(error_with(fake, "init=803").find("restart the machine (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)") !=
            std::string::npos);
    REQUIRE(error_with(fake, "devices=0") == "the NVIDIA driver is there, but it sees no GPU");
    GpuRig rig;
    REQUIRE(rig.create_error() == "");
    REQUIRE(leftovers() == "");
}
