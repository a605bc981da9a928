// SPDX-License-Identifier: Apache-2.0
// What a run on a GPU does beside launches: memory, copies, and the few operators that look at elements.
#include <cstdlib>

#include "runtime/capi/cuda_device.h"
#include "runtime/capi/host_operators.h"

namespace hidet::capi {

using package::Address;
using package::Code;
using package::refuse;

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
    return has_ended(m_gpu.api->copy_on_device_async(to, from, bytes, m_stream), "copying on the GPU", problem);
}

bool CudaDevice::copy(Address to, Address from, std::uint64_t bytes, Problem& problem) {
    const DeviceAddress target = device_address(to), source = device_address(from);
    m_follows_kernel = false;
    m_has_worked = true;
    if (target == source)
        return true;
    if (target + bytes <= source || source + bytes <= target)
        return move(target, source, bytes, problem);
    // The driver does not say what becomes of bytes that are read and written.
    return keep(m_between, bytes, problem) && move(m_between->address, source, bytes, problem) &&
           move(target, m_between->address, bytes, problem);
}

bool CudaDevice::fill(Address to, std::uint8_t byte, std::uint64_t bytes, Problem& problem) {
    m_follows_kernel = false;
    m_has_worked = true;
    return has_ended(m_gpu.api->fill_bytes_async(device_address(to), byte, bytes, m_stream), "filling memory", problem);
}

bool CudaDevice::read(void* to, Address from, std::uint64_t bytes, Problem& problem) {
    const Api& api = *m_gpu.api;
    m_follows_kernel = false;
    m_has_worked = true;
    return has_ended(api.copy_to_host_async(to, device_address(from), bytes, m_stream), "reading from the GPU",
                     problem) &&
           has_ended(api.stream_synchronize(m_stream), "reading from the GPU", problem);
}

// `from` is the interpreter's, for as long as this takes.
bool CudaDevice::write(Address to, const void* from, std::uint64_t bytes, Problem& problem) {
    const Api& api = *m_gpu.api;
    m_follows_kernel = false;
    m_has_worked = true;
    return has_ended(api.copy_to_device_async(device_address(to), from, bytes, m_stream), "writing to the GPU",
                     problem) &&
           has_ended(api.stream_synchronize(m_stream), "writing to the GPU", problem);
}

// The indices as they are, when none is outside of the extents. No other operator gets here (cuda.cpp).
bool CudaDevice::host(package::HostStep& step, Problem& problem) {
    const package::Body& body = step.execution->body();
    const package::Step& planned = body.steps[step.step];
    if (planned.op != package::HostOperator::CheckIndices || step.inputs.size() != 1 || step.results.size() != 1)
        return refuse_operator(step, problem);
    package::TensorValue& indices = step.inputs[0];
    const auto bytes = static_cast<std::uint64_t>(
        step.execution->expressions()[body.values[planned.reads[0]].bytes].value); // which fit (Execution::fits)
    indices.address.bytes = bytes;
    if (!check_on_host(step, problem))
        return false;
    package::Buffer* const buffer = allocate(bytes, problem);
    if (!buffer)
        return false;
    package::TensorValue& result = step.results[0];
    result = indices;
    result.address = {buffer, 0, bytes}; // the interpreter's from here on, also where the copy fails
    return bytes == 0 || copy(result.address, indices.address, bytes, problem);
}

bool CudaDevice::check_on_host(const package::HostStep& step, Problem& problem) {
    const Address from = step.inputs[0].address;
    void* const copy = std::malloc(from.bytes > 0 ? from.bytes : 1);
    if (!copy)
        return refuse(problem, Code::Memory, from.bytes, " bytes for indices");
    const bool is_fine =
        (from.bytes == 0 || read(copy, from, from.bytes, problem)) && check_indices(step, copy, problem);
    std::free(copy);
    return is_fine;
}

} // namespace hidet::capi
