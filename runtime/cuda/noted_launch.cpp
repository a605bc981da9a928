// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/noted_launch.h"

#include "runtime/vm/machine.h"

namespace hidet::cuda {

NotedLaunch::NotedLaunch(std::shared_ptr<Kernel> kernel, const vm::DeviceLaunch& launch)
    : kernel(std::move(kernel)), shape(launch.shape), args(launch.args.begin(), launch.args.end()) {
    for (const vm::BufferInfo* buffer : launch.buffers)
        m_tensors.push_back(buffer ? std::optional(Tensor{buffer->dtype, buffer->shape}) : std::nullopt);
    for (std::size_t i = 0; i < launch.maps.size(); ++i)
        if (launch.maps[i])
            m_maps.push_back({i, *launch.maps[i], {}});
}

void NotedLaunch::set_address(std::size_t arg, std::uint64_t address) {
    for (Map& each : m_maps)
        if (each.arg == arg) {
            each.map.address = address;
            return;
        }
    args[arg] = address;
}

Result<void> NotedLaunch::start(Stream& stream) {
    for (Map& each : m_maps) {
        if (auto encoded = encode(stream.context().api(), each.map, each.encoded); !encoded)
            return encoded;
        args[each.arg] = reinterpret_cast<std::uint64_t>(&each.encoded);
    }
    std::vector<TensorNote> notes;
    notes.reserve(m_tensors.size());
    for (const std::optional<Tensor>& each : m_tensors)
        notes.push_back(each ? TensorNote{each->dtype.c_str(), each->shape} : TensorNote{});
    return kernel->launch(stream, shape, args, notes);
}

} // namespace hidet::cuda
