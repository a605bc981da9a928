// SPDX-License-Identifier: Apache-2.0
#include "runtime/capi/cuda_gpu.h"

namespace hidet::capi {

using package::Code;
using package::refuse;
namespace device_attribute = cuda::device_attribute;

namespace {

bool find_device(const Api& api, int id, cuda::DeviceHandle& device, Problem& problem) {
    int count = 0;
    if (!succeeds(api.device_get_count(&count), problem, "counting the GPUs"))
        return false;
    if (count == 0)
        return refuse(problem, Code::Device, "the NVIDIA driver is there, but it sees no GPU");
    if (id < 0 || id >= count)
        return refuse(problem, Code::Device, "there is no GPU ", id, "; the driver sees ", count);
    return succeeds(api.device_get(&device, id), problem, "opening GPU ", id);
}

// A driver that does not know an attribute: zero.
int attribute_of(const Api& api, cuda::DeviceHandle device, int which) {
    int value = 0;
    return api.device_get_attribute(&value, which, device) == Status::Success ? value : 0;
}

bool find_capability(const Api& api, cuda::DeviceHandle device, Capability& capability, Problem& problem) {
    const char* const doing = "asking the GPU for its compute capability";
    return succeeds(api.device_get_attribute(&capability.major, device_attribute::compute_major, device), problem,
                    doing) &&
           succeeds(api.device_get_attribute(&capability.minor, device_attribute::compute_minor, device), problem,
                    doing);
}

void ask_properties(Gpu& gpu) {
    const auto ask = [&](int which) { return attribute_of(*gpu.api, gpu.device, which); };
    if (gpu.api->device_get_name(gpu.name, sizeof gpu.name - 1, gpu.device) != Status::Success)
        package::TextWriter(gpu.name, sizeof gpu.name).add("GPU ", gpu.id);
    gpu.multiprocessors = ask(device_attribute::multiprocessors);
    gpu.shared_bytes = ask(device_attribute::max_shared_per_multiprocessor);
    gpu.registers = ask(device_attribute::max_registers_per_multiprocessor);
    gpu.shared_per_block = ask(device_attribute::max_shared_per_block);
    const std::int64_t most = ask(device_attribute::max_shared_per_block_optin);
    gpu.shared_most = most > gpu.shared_per_block ? most : gpu.shared_per_block;
    gpu.shared_reserved = ask(device_attribute::shared_reserved_per_block);
}

// Null: the caller has none of this GPU.
cuda::ContextHandle current_context(const Gpu& gpu) {
    cuda::ContextHandle current = nullptr;
    cuda::DeviceHandle device = 0;
    if (gpu.api->context_get_current(&current) != Status::Success || !current)
        return nullptr;
    return gpu.api->context_get_device(&device) == Status::Success && device == gpu.device ? current : nullptr;
}

} // namespace

package::Words<16> architecture_words(const Capability& capability) {
    constexpr int hopper = 9;
    package::Words<16> words;
    words.add("sm_", capability.major, capability.minor, capability.major >= hopper ? "a" : "");
    return words;
}

bool cuda_capability(int device, Capability& capability, Problem& problem) {
    const Driver* const driver = cuda_driver(problem);
    cuda::DeviceHandle handle = 0;
    return driver && find_device(driver->api, device, handle, problem) &&
           find_capability(driver->api, handle, capability, problem);
}

bool open_gpu(int id, Gpu& gpu, Problem& problem) {
    const Driver* const driver = cuda_driver(problem);
    if (!driver)
        return false;
    gpu.api = &driver->api;
    gpu.driver_version = driver->version;
    gpu.id = id;
    if (!find_device(*gpu.api, id, gpu.device, problem) ||
        !find_capability(*gpu.api, gpu.device, gpu.capability, problem))
        return false;
    ask_properties(gpu);
    gpu.context = current_context(gpu);
    if (gpu.context)
        return true;
    gpu.is_retained =
        succeeds(gpu.api->primary_context_retain(&gpu.context, gpu.device), problem, "making a context on ", gpu.name);
    return gpu.is_retained;
}

void close_gpu(Gpu& gpu) {
    if (gpu.is_retained)
        gpu.api->primary_context_release(gpu.device);
    gpu.is_retained = false;
}

} // namespace hidet::capi
