// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/memory.h"

#include "lang/base/check.h"

namespace hidet::vm {

namespace {
constexpr std::size_t resting_ids = 4096; // how many numbers rest before the oldest is given out again
}

std::uint64_t Memory::map(std::byte* data, std::size_t bytes, BufferInfo info) {
    // Memory of a real device has addresses that memory of the host has not.
    auto key = std::make_pair(data ? reinterpret_cast<std::uint64_t>(data) : info.device_address, bytes);
    if (auto it = m_mapped.find(key); it != m_mapped.end()) {
        m_allocations[it->second].info = std::move(info);
        return make_pointer(it->second, 0);
    }
    std::uint32_t id = 0;
    if (m_free.size() > resting_ids || m_allocations.size() >= first_shared_id) {
        HIDET_CHECK(!m_free.empty(), "too many allocations");
        id = m_free.front();
        m_free.pop_front();
    } else {
        id = static_cast<std::uint32_t>(m_allocations.size());
        m_allocations.emplace_back();
    }
    m_allocations[id] = {
        .data = data, .bytes = static_cast<std::int64_t>(bytes), .info = std::move(info), .live = true};
    m_mapped[key] = id;
    return make_pointer(id, 0);
}

void Memory::unmap(std::uint64_t pointer) {
    std::uint32_t id = id_of(pointer);
    if (!find(id))
        return;
    Allocation& allocation = m_allocations[id];
    m_mapped.erase({allocation.data ? reinterpret_cast<std::uint64_t>(allocation.data) : allocation.info.device_address,
                    static_cast<std::size_t>(allocation.bytes)});
    allocation.live = false;
    allocation.data = nullptr;
    m_free.push_back(id);
}

std::uint64_t Memory::allocate(std::size_t bytes, BufferInfo info) {
    // One byte more, so that two allocations never begin at the same address.
    auto data = std::make_unique<std::byte[]>(bytes + 64);
    std::uint64_t pointer = map(data.get(), bytes, std::move(info));
    m_owned[id_of(pointer)] = std::move(data);
    return pointer;
}

void Memory::free(std::uint64_t pointer) {
    unmap(pointer);
    m_owned.erase(id_of(pointer));
}

} // namespace hidet::vm
