// SPDX-License-Identifier: Apache-2.0
// Finding the driver and the GPU, memory, and what the user is told when something of it is missing.
#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <thread>

#include "lang/tensor/tensor.h"
#include "runtime/cuda/device_tensor.h"
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

TEST_CASE("a machine without a driver is told to install one, or to emulate") {
    std::string text = error_text(Driver::load("/nowhere/libcuda.so.1"));
    REQUIRE_HOLDS(text, "[driver-missing] no NVIDIA driver: /nowhere/libcuda.so.1 cannot be loaded");
    REQUIRE_HOLDS(text, "install the driver of the GPU");
    REQUIRE_HOLDS(text, "--target emulate");
}

TEST_CASE("a library that is no driver is said to be none") {
    REQUIRE_HOLDS(error_text(Driver::load("libm.so.6")), "[driver-missing] libm.so.6 is not an NVIDIA driver");
}

TEST_CASE("HIDET_LIBCUDA says where the driver is") {
    fake_cuda_reset();
    setenv("HIDET_LIBCUDA", fake_driver_path.c_str(), 1);
    auto driver = must(Driver::load());
    unsetenv("HIDET_LIBCUDA");
    REQUIRE(driver->path() == fake_driver_path);
    REQUIRE(driver->version() == 13000);
}

TEST_CASE("a driver that is too old says which CUDA it has and which is needed") {
    std::string text = load_error("driver=11040");
    REQUIRE_HOLDS(text, "[driver-too-old] the NVIDIA driver is too old: it supports CUDA 11.4; CUDA 12.0 is needed");
    REQUIRE_HOLDS(text, "update the driver");
}

TEST_CASE("a driver without a GPU says so") {
    REQUIRE_HOLDS(load_error("init=100"), "[no-gpu] the NVIDIA driver is there, but it sees no GPU");
    REQUIRE_HOLDS(load_error("devices=0"), "[no-gpu] the NVIDIA driver is there, but it sees no GPU");
}

TEST_CASE("GPUs that the environment hides are found hidden") {
    setenv("CUDA_VISIBLE_DEVICES", "7", 1);
    std::string text = load_error("devices=0");
    unsetenv("CUDA_VISIBLE_DEVICES");
    REQUIRE_HOLDS(text, "CUDA_VISIBLE_DEVICES is '7'");
}

TEST_CASE("the toolkit's stub is not taken for a driver") {
    REQUIRE_HOLDS(load_error("init=34"), "[driver-missing] starting the NVIDIA driver failed");
    REQUIRE_HOLDS(load_error("init=34"), "stub");
}

TEST_CASE("a driver of another version than its kernel module asks for a restart") {
    REQUIRE_HOLDS(load_error("init=803"), "restart the machine (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)");
}

TEST_CASE("a device shows what a kernel author asks for") {
    Rig rig;
    const DeviceProperties& device = rig.context->device();
    REQUIRE(device.name() == "Fake GPU");
    REQUIRE(device.architecture() == "sm_90");
    REQUIRE(artifact::architecture_name(device.spec.arch) == "sm_90a");
    REQUIRE(device.spec.multiprocessors == 132);
    REQUIRE(device.spec.l2_bytes == std::int64_t{60} << 20);
    REQUIRE(device.spec.shared_per_block_optin == 227 << 10);
    REQUIRE(device.spec.cluster_blocks == 16);
    REQUIRE((device.spec.bytes_per_second > 4.7e12 && device.spec.bytes_per_second < 4.95e12));
}

TEST_CASE("each thread makes the context current for itself, once") {
    Rig rig;
    int before = fake_cuda_calls("cuCtxSetCurrent");
    must(rig.context->enter());
    must(rig.context->enter());
    REQUIRE(fake_cuda_calls("cuCtxSetCurrent") == before);
    std::thread([&] { must(rig.context->enter()); }).join();
    REQUIRE(fake_cuda_calls("cuCtxSetCurrent") == before + 1);
}

TEST_CASE("the context is held while something lives on the device, and let go after it") {
    {
        DeviceBuffer buffer;
        {
            Rig rig;
            buffer = must(DeviceBuffer::allocate(rig.stream, 100, "a test"));
        }
        REQUIRE(fake_cuda_calls("cuDevicePrimaryCtxRelease_v2") == 0);
    }
    REQUIRE(fake_cuda_calls("cuDevicePrimaryCtxRelease_v2") == 1);
    REQUIRE(fake_cuda_bytes() == 0u);
}

TEST_CASE("bytes come back as they went") {
    for (const char* pools : {"pools=1", "pools=0"})
        SUBCASE(pools) {
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
                REQUIRE(in[i] == 0);
            for (std::size_t i = 100; i < 1000; ++i)
                REQUIRE(in[i] == out[i]);
        }
}

TEST_CASE("memory goes back to the device with its owner") {
    Rig rig;
    {
        auto a = must(DeviceBuffer::allocate(rig.stream, 4096, "a"));
        auto b = std::move(a);
        REQUIRE(fake_cuda_bytes() == 4096u);
        REQUIRE(fake_cuda_allocations() == 1u);
    }
    REQUIRE(fake_cuda_allocations() == 0u);
}

TEST_CASE("memory of somebody else is kept while it is used, and never freed") {
    Rig rig;
    const auto theirs = must(DeviceBuffer::allocate(rig.stream, 64, "theirs"));
    const auto owner = std::make_shared<int>(1);
    int told = 0;
    {
        const auto borrowed = DeviceTensor::borrowed(rig.stream, theirs.address(), 64, owner);
        borrowed->before_host_writes([&] { ++told; });
        REQUIRE(borrowed->address() == theirs.address());
        REQUIRE(owner.use_count() == 2);
        borrowed->host_writes();
    }
    REQUIRE(told == 1);
    REQUIRE(owner.use_count() == 1);
    REQUIRE(fake_cuda_bytes() == 64u);
}

TEST_CASE("a tensor on a device that others write to is fetched at every look") {
    Rig rig;
    const auto theirs = must(DeviceBuffer::allocate(rig.stream, 4, "theirs"));
    lang::Storage storage(DeviceTensor::borrowed(rig.stream, theirs.address(), 4, nullptr), 4);
    storage.share_device();
    for (const unsigned char byte : {1, 2}) {
        must(fill(*rig.stream, theirs.address(), byte, 4));
        REQUIRE(std::to_integer<int>(storage.read()[3]) == byte);
    }
    storage.write()[0] = std::byte{7};
    REQUIRE(storage.is_device_stale());
    REQUIRE(std::to_integer<int>(storage.read()[0]) == 7);
}

TEST_CASE("bytes that are newest on a device are copied and filled there, and what the host wrote is kept") {
    Rig rig;
    lang::Storage from(must(DeviceTensor::create(rig.stream, 8, "from")), 8);
    lang::Storage whole(8, lang::Storage::OnDemand{}), part(8);
    part.write()[7] = std::byte{9};
    from.fill(0, 1, 8);
    from.fill(2, 5, 1);
    whole.copy(0, from, 0, 8);
    REQUIRE(fake_cuda_calls("cuMemcpyDtoDAsync_v2") == 1);
    REQUIRE((fake_cuda_calls("cuMemcpyDtoHAsync_v2") == 0 && fake_cuda_calls("cuMemcpyHtoDAsync_v2") == 0));
    part.copy(1, from, 2, 2); // the host's other bytes are the newest
    REQUIRE(fake_cuda_calls("cuMemcpyDtoDAsync_v2") == 1);
    REQUIRE((std::to_integer<int>(part.read()[1]) == 5 && std::to_integer<int>(part.read()[2]) == 1));
    REQUIRE(std::to_integer<int>(part.read()[7]) == 9);
    REQUIRE((std::to_integer<int>(whole.read()[2]) == 5 && std::to_integer<int>(whole.read()[7]) == 1));
}

TEST_CASE("a stream that follows another comes behind its own work, once, and leaves the other alive") {
    Rig rig;
    const auto other = must(Stream::create(rig.context));
    const StreamHandle own = rig.stream->handle();
    must(rig.stream->follow(other->handle()));
    must(rig.stream->follow(other->handle()));
    REQUIRE(rig.stream->handle() == other->handle());
    REQUIRE(fake_cuda_calls("cuStreamWaitEvent") == 1);
    {
        const Stream::Own aside(*rig.stream);
        REQUIRE(rig.stream->handle() == own);
    }
    REQUIRE(rig.stream->handle() == other->handle());
    rig.stream.reset();
    must(other->wait());
}

TEST_CASE("an empty tensor has an address too") {
    Rig rig;
    REQUIRE(must(DeviceBuffer::allocate(rig.stream, 0, "nothing")).address() != 0);
}

TEST_CASE("out of device memory says what asked, for how much, and what is free") {
    Rig rig("memory=1048576");
    auto half = must(DeviceBuffer::allocate(rig.stream, 512 << 10, "half"));
    REQUIRE(error_text(DeviceBuffer::allocate(rig.stream, std::size_t{3} << 30, "'a' (f32[805306368])")) ==
            "[out-of-device-memory] the device is out of memory: 'a' (f32[805306368]) needs 3 GiB, and 512 KiB "
            "of the 1 MiB of Fake GPU are free");
    must(DeviceBuffer::allocate(rig.stream, 1000, "a smaller one")); // the device goes on
}

TEST_CASE("a call that fails is named with what the driver says") {
    Rig rig("fail=cuMemcpyHtoDAsync_v2:2:1");
    auto a = must(DeviceBuffer::allocate(rig.stream, 8, "a"));
    must(copy_to_device(*rig.stream, a.address(), "1234567", 8));
    REQUIRE(error_text(copy_to_device(*rig.stream, a.address(), "1234567", 8)) ==
            "[device-error] copying to the device failed: the driver refused a value (CUDA_ERROR_INVALID_VALUE)");
    must(copy_to_device(*rig.stream, a.address(), "1234567", 8));
}

} // namespace
