// SPDX-License-Identifier: Apache-2.0
#include "runtime/package/memory.h"

#include <cstdlib>

namespace hidet::package {

namespace {

constexpr std::size_t alignment = alignof(std::max_align_t);
constexpr std::size_t usual_block = std::size_t{64} << 10;

constexpr std::size_t rounded(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

} // namespace

Memory::~Memory() {
    while (m_blocks) {
        Block* next = m_blocks->next;
        std::free(m_blocks);
        m_blocks = next;
    }
}

void* Memory::take(std::size_t bytes) {
    if (bytes > SIZE_MAX / 2)
        return nullptr;
    bytes = rounded(bytes);
    if (bytes > m_left) {
        const std::size_t room = bytes > usual_block ? bytes : usual_block;
        auto* block = static_cast<unsigned char*>(std::malloc(rounded(sizeof(Block)) + room));
        if (!block)
            return nullptr;
        m_blocks = new (block) Block{m_blocks};
        m_free = block + rounded(sizeof(Block));
        m_left = room;
    }
    void* taken = m_free;
    m_free += bytes;
    m_left -= bytes;
    return taken;
}

} // namespace hidet::package
