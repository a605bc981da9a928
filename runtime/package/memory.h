// SPDX-License-Identifier: Apache-2.0
// Memory that is given back all at once. What lies in it is never destroyed, so it owns nothing.
#pragma once

#include <new>

#include "runtime/package/text.h"

namespace hidet::package {

class Memory {
public:
    Memory() = default;
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    void* take(std::size_t bytes); // aligned for anything; null: there is none left

    // False: there is not enough left. The items are new ones.
    template <class T>
    bool make(List<T>& list, std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= alignof(std::max_align_t));
        std::size_t bytes = 0;
        if (count > UINT32_MAX || __builtin_mul_overflow(count, sizeof(T), &bytes))
            return false;
        list = {};
        if (count == 0)
            return true;
        void* place = take(bytes);
        if (!place)
            return false;
        list.items = static_cast<T*>(place);
        list.count = static_cast<std::uint32_t>(count);
        for (T& item : list)
            new (&item) T();
        return true;
    }

private:
    struct Block {
        Block* next;
    };
    Block* m_blocks = nullptr;
    unsigned char* m_free = nullptr;
    std::size_t m_left = 0;
};

} // namespace hidet::package
