// SPDX-License-Identifier: Apache-2.0
// What the host has of tensors that lie on a GPU, for as long as it works on them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#include "runtime/package/plan.h"
#include "runtime/package/problem.h"

namespace hidet::capi {

using package::Problem;

class HostCopies {
public:
    HostCopies() = default;
    ~HostCopies() {
        while (m_first) {
            Block* const next = m_first->next;
            std::free(m_first);
            m_first = next;
        }
    }
    HostCopies(const HostCopies&) = delete;
    HostCopies& operator=(const HostCopies&) = delete;

    unsigned char* add(std::uint64_t bytes, Problem& problem) {
        void* const place = bytes < SIZE_MAX / 2 ? std::malloc(sizeof(Block) + bytes) : nullptr;
        if (!place) {
            package::refuse(problem, package::Code::Memory, bytes, " bytes for an operator of the host");
            return nullptr;
        }
        m_first = new (place) Block{m_first, bytes, package::no_row};
        return data_of(m_first);
    }
    void last_is(std::size_t result) { m_first->result = static_cast<package::Row>(result); }
    // Calls use(result, data, bytes) with each result.
    bool each_result(auto&& use) const {
        for (Block* block = m_first; block; block = block->next)
            if (block->result != package::no_row && !use(block->result, data_of(block), block->bytes))
                return false;
        return true;
    }

private:
    struct alignas(std::max_align_t) Block {
        Block* next;
        std::uint64_t bytes;
        package::Row result;
    };
    static unsigned char* data_of(Block* block) { return reinterpret_cast<unsigned char*>(block + 1); }
    Block* m_first = nullptr;
};

} // namespace hidet::capi
