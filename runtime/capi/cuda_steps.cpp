// SPDX-License-Identifier: Apache-2.0
// What a run on a GPU does beside launches: memory, copies, and the few operators that look at elements.

#include "runtime/capi/cuda_device.h"

namespace hidet::capi {

using package::Address;
using package::Row;

package::Buffer* CudaDevice::allocate(std::uint64_t bytes, Problem& problem) {
    DeviceBlock* const block = m_blocks.take(bytes, problem);
    if (m_device)
        m_device->activation_bytes = m_blocks.held();
    if (!block)
        return nullptr;
    if (!m_is_running || order_memory(problem))
        return buffer_of(block);
    m_blocks.give_back(block);
    return nullptr;
}

void CudaDevice::release(package::Buffer* buffer) {
    m_blocks.give_back(reinterpret_cast<DeviceBlock*>(buffer));
}

// A block that is there from run to run, so that what is recorded finds it: the one before, where it is large enough.
bool CudaDevice::keep(DeviceBlock*& block, std::uint64_t bytes, Problem& problem) {
    if (block && block->bytes >= bytes)
        return true;
    if (block)
        m_blocks.give_back(block);
    block = reinterpret_cast<DeviceBlock*>(allocate(bytes, problem));
    return block != nullptr;
}

bool CudaDevice::move(DeviceAddress to, DeviceAddress from, std::uint64_t bytes, Problem& problem) {
    return has_ended(m_gpu.api->copy_on_device_async(to, from, bytes, m_streams.current), "copying on the GPU",
                     problem);
}

bool CudaDevice::copy(Address to, Address from, std::uint64_t bytes, Problem& problem) {
    const DeviceAddress target = device_address(to), source = device_address(from);
    if (target == source)
        return true;
    m_follows_kernel = false;
    m_has_worked = true;
    if (target + bytes <= source || source + bytes <= target)
        return move(target, source, bytes, problem);
    // The driver does not say what becomes of bytes that are read and written.
    return keep(m_between, bytes, problem) && move(m_between->address, source, bytes, problem) &&
           move(target, m_between->address, bytes, problem);
}

bool CudaDevice::fill(Address to, std::uint8_t byte, std::uint64_t bytes, Problem& problem) {
    m_follows_kernel = false;
    m_has_worked = true;
    return has_ended(m_gpu.api->fill_bytes_async(device_address(to), byte, bytes, m_streams.current), "filling memory",
                     problem);
}

bool CudaDevice::read(void* to, Address from, std::uint64_t bytes, Problem& problem) {
    const Api& api = *m_gpu.api;
    m_follows_kernel = false;
    m_has_worked = true;
    return has_ended(api.copy_to_host_async(to, device_address(from), bytes, m_streams.current), "reading from the GPU",
                     problem) &&
           has_ended(api.stream_synchronize(m_streams.current), "reading from the GPU", problem);
}

// `from` is the interpreter's, for as long as this takes.
bool CudaDevice::write(Address to, const void* from, std::uint64_t bytes, Problem& problem) {
    const Api& api = *m_gpu.api;
    m_follows_kernel = false;
    m_has_worked = true;
    return has_ended(api.copy_to_device_async(device_address(to), from, bytes, m_streams.current), "writing to the GPU",
                     problem) &&
           has_ended(api.stream_synchronize(m_streams.current), "writing to the GPU", problem);
}

bool CudaDevice::read_operands(const package::HostStep& step, HostCopies& copies, Problem& problem) {
    const package::Body& body = step.execution->body();
    const package::Step& planned = body.steps[step.step];
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
        const auto bytes = static_cast<std::uint64_t>(
            step.execution->expressions()[body.values[planned.reads[i]].bytes].value); // which fit (BodySizes::fits)
        step.inputs[i].address.bytes = bytes;
        unsigned char* const copy = copies.add(bytes, problem);
        if (!copy || (bytes > 0 && !read(copy, step.inputs[i].address, bytes, problem)))
            return false;
        m_host.operands[i] = copy;
    }
    return true;
}

// The program reads and writes the tensors where they are.
bool CudaDevice::exchange(package::HostStep& step, Problem& problem) {
    const package::Body& body = step.execution->body();
    const package::Step& planned = body.steps[step.step];
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
        Address& given = step.inputs[i].address;
        given.bytes =
            static_cast<std::uint64_t>(step.execution->expressions()[body.values[planned.reads[i]].bytes].value);
        m_host.operands[i] = reinterpret_cast<const void*>(device_address(given));
    }
    const auto make = [](void* self, package::HostStep& step, std::size_t result, std::uint64_t bytes,
                         Problem& problem) -> unsigned char* {
        package::Buffer* const buffer = static_cast<CudaDevice*>(self)->allocate(bytes > 0 ? bytes : 1, problem);
        if (!buffer)
            return nullptr;
        step.results[result].address = {buffer, 0, bytes};
        return reinterpret_cast<unsigned char*>(device_address(step.results[result].address));
    };
    m_host.exchanged_on = {{HIDET_CUDA, m_gpu.id}, m_streams.current};
    m_follows_kernel = false;
    m_has_worked = true;
    return m_host.run(step, this, make, problem);
}

// What the host makes of what lies on the GPU lies there again.
bool CudaDevice::host(package::HostStep& step, Problem& problem) {
    if (m_options.exchanges_on_gpu && operators::exchanges(step.execution->body().steps[step.step].op))
        return exchange(step, problem);
    HostCopies copies;
    const auto make = [](void* self, package::HostStep&, std::size_t result, std::uint64_t bytes, Problem& problem) {
        unsigned char* const made = static_cast<HostCopies*>(self)->add(bytes, problem);
        if (made)
            static_cast<HostCopies*>(self)->last_is(result);
        return made;
    };
    if (!read_operands(step, copies, problem) || !m_host.run(step, &copies, make, problem))
        return false;
    return copies.each_result([&](Row result, const unsigned char* data, std::uint64_t bytes) {
        package::Buffer* const buffer = allocate(bytes > 0 ? bytes : 1, problem);
        if (!buffer)
            return false;
        step.results[result].address = {buffer, 0, bytes}; // the interpreter's from here on, also where the copy fails
        return bytes == 0 || write(step.results[result].address, data, bytes, problem);
    });
}

} // namespace hidet::capi
