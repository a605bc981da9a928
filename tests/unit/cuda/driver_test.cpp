// SPDX-License-Identifier: Apache-2.0
// Finding the driver and the GPU, memory, and what the user is told when something of it is missing.
#include <cstdlib>
#include <thread>

#include "tests/unit/cuda/support.h"

using namespace hidet;
using namespace hidet::cuda;
using namespace hidet::test;

namespace {

std::string load_error(const char* settings) {
    fake_cuda_reset();
    fake_cuda_set(settings);
    return error_text(Driver::load(fake_driver_path));
}

void loading(Suite& suite) {
    suite.run("a machine without a driver is told to install one, or to emulate", [] {
        std::string text = error_text(Driver::load("/nowhere/libcuda.so.1"));
        EXPECT_HOLDS(text, "[driver-missing] no NVIDIA driver: /nowhere/libcuda.so.1 cannot be loaded");
        EXPECT_HOLDS(text, "install the driver of the GPU");
        EXPECT_HOLDS(text, "--target emulate");
    });
    suite.run("a library that is no driver is said to be none", [] {
        EXPECT_HOLDS(error_text(Driver::load("libm.so.6")), "[driver-missing] libm.so.6 is no NVIDIA driver");
    });
    suite.run("HIDET_LIBCUDA says where the driver is", [] {
        fake_cuda_reset();
        setenv("HIDET_LIBCUDA", fake_driver_path.c_str(), 1);
        auto driver = must(Driver::load());
        unsetenv("HIDET_LIBCUDA");
        EXPECT_EQUAL(driver->path(), fake_driver_path);
        EXPECT_EQUAL(driver->version(), 13000);
    });
    suite.run("a driver that is too old says which CUDA it has and which is needed", [] {
        std::string text = load_error("driver=11040");
        EXPECT_HOLDS(text, "[driver-too-old] the NVIDIA driver is too old: it supports CUDA 11.4; CUDA 12.0 is needed");
        EXPECT_HOLDS(text, "update the driver");
    });
    suite.run("a driver without a GPU says so", [] {
        EXPECT_HOLDS(load_error("init=100"), "[no-gpu] the NVIDIA driver is there, but it sees no GPU");
        EXPECT_HOLDS(load_error("devices=0"), "[no-gpu] the NVIDIA driver is there, but it sees no GPU");
    });
    suite.run("GPUs that the environment hides are found hidden", [] {
        setenv("CUDA_VISIBLE_DEVICES", "7", 1);
        std::string text = load_error("devices=0");
        unsetenv("CUDA_VISIBLE_DEVICES");
        EXPECT_HOLDS(text, "CUDA_VISIBLE_DEVICES is '7'");
    });
    suite.run("the toolkit's stub is not taken for a driver", [] {
        EXPECT_HOLDS(load_error("init=34"), "[driver-missing] starting the NVIDIA driver failed");
        EXPECT_HOLDS(load_error("init=34"), "stub");
    });
    suite.run("a driver of another version than its kernel module asks for a restart",
              [] { EXPECT_HOLDS(load_error("init=803"), "restart the machine (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)"); });
}

void devices(Suite& suite) {
    suite.run("a device shows what a kernel author asks for", [] {
        Rig rig;
        auto all = must(find_devices(*rig.driver));
        EXPECT_EQUAL(all.size(), 1u);
        const DeviceProperties& device = all.front();
        EXPECT_EQUAL(device.name, "Fake GPU");
        EXPECT_EQUAL(device.architecture(), "sm_90");
        EXPECT_EQUAL(device.multiprocessors, 132);
        EXPECT_EQUAL(device.l2_bytes, std::size_t{60} << 20);
        EXPECT_EQUAL(device.shared_per_block_optin, 227 << 10);
        EXPECT(device.has_clusters);
        EXPECT(device.memory_bandwidth() > 4.7e12 && device.memory_bandwidth() < 4.9e12);
    });
    suite.run("each thread makes the context current for itself, once", [] {
        Rig rig;
        int before = fake_cuda_calls("cuCtxSetCurrent");
        must(rig.context->enter());
        must(rig.context->enter());
        EXPECT_EQUAL(fake_cuda_calls("cuCtxSetCurrent"), before);
        std::thread([&] { must(rig.context->enter()); }).join();
        EXPECT_EQUAL(fake_cuda_calls("cuCtxSetCurrent"), before + 1);
    });
    suite.run("the context is held while something lives on the device, and let go after it", [] {
        {
            DeviceBuffer buffer;
            {
                Rig rig;
                buffer = must(DeviceBuffer::allocate(rig.stream, 100, "a test"));
            }
            EXPECT_EQUAL(fake_cuda_calls("cuDevicePrimaryCtxRelease_v2"), 0);
        }
        EXPECT_EQUAL(fake_cuda_calls("cuDevicePrimaryCtxRelease_v2"), 1);
        EXPECT_EQUAL(fake_cuda_bytes(), 0u);
    });
}

void memory(Suite& suite) {
    for (const char* pools : {"pools=1", "pools=0"})
        suite.run(cat("bytes come back as they went, with ", pools), [&] {
            Rig rig(pools);
            std::vector<int> out(1000), in(1000);
            for (int i = 0; i < 1000; ++i)
                out[static_cast<std::size_t>(i)] = i * i;
            auto a = must(DeviceBuffer::allocate(rig.stream, 4000, "a"));
            auto b = must(DeviceBuffer::allocate(rig.stream, 4000, "b"));
            must(fill(*rig.stream, b.address(), 0, 4000));
            must(copy_to_device(*rig.stream, a.address(), out.data(), 4000));
            must(copy_on_device(*rig.stream, b.address() + 400, a.address() + 400, 3600));
            must(copy_to_host(*rig.stream, in.data(), b.address(), 4000));
            for (std::size_t i = 0; i < 100; ++i)
                EXPECT_EQUAL(in[i], 0);
            for (std::size_t i = 100; i < 1000; ++i)
                EXPECT_EQUAL(in[i], out[i]);
        });
    suite.run("memory goes back to the device with its owner", [] {
        Rig rig;
        {
            auto a = must(DeviceBuffer::allocate(rig.stream, 4096, "a"));
            auto b = std::move(a);
            EXPECT_EQUAL(fake_cuda_bytes(), 4096u);
            auto pinned = must(PinnedBuffer::allocate(rig.context, 100));
            EXPECT_EQUAL(fake_cuda_allocations(), 2u);
        }
        EXPECT_EQUAL(fake_cuda_allocations(), 0u);
    });
    suite.run("an empty tensor has an address too", [] {
        Rig rig;
        EXPECT(must(DeviceBuffer::allocate(rig.stream, 0, "nothing")).address() != 0);
    });
    suite.run("out of device memory says what asked, for how much, and what is free", [] {
        Rig rig("memory=1048576");
        auto half = must(DeviceBuffer::allocate(rig.stream, 512 << 10, "half"));
        EXPECT_EQUAL(
            error_text(DeviceBuffer::allocate(rig.stream, std::size_t{3} << 30, "'a' (f32[805306368])")),
            "[out-of-device-memory] the device is out of memory: 'a' (f32[805306368]) needs 3 GiB, and 512 KiB "
            "of the 1 MiB of Fake GPU are free");
        must(DeviceBuffer::allocate(rig.stream, 1000, "a smaller one")); // the device goes on
    });
    suite.run("a call that fails is named with what the driver says", [] {
        Rig rig("fail=cuMemcpyHtoDAsync_v2:2:1");
        auto a = must(DeviceBuffer::allocate(rig.stream, 8, "a"));
        must(copy_to_device(*rig.stream, a.address(), "1234567", 8));
        EXPECT_EQUAL(
            error_text(copy_to_device(*rig.stream, a.address(), "1234567", 8)),
            "[device-error] copying to the device failed: the driver refused a value (CUDA_ERROR_INVALID_VALUE)");
        must(copy_to_device(*rig.stream, a.address(), "1234567", 8));
    });
}

} // namespace

int main(int argc, char** argv) {
    Suite suite(argc, argv);
    loading(suite);
    devices(suite);
    memory(suite);
    return suite.result();
}
