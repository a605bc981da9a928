// SPDX-License-Identifier: Apache-2.0
// A bump allocator for trees that are built once, never changed and die as a unit. Objects must not need destructors.
#pragma once

#include <cstring>
#include <memory_resource>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hidet {

class Arena {
public:
    template <class T>
    T* make(T value = {}) {
        static_assert(std::is_trivially_destructible_v<T>);
        return new (m_buffer.allocate(sizeof(T), alignof(T))) T(std::move(value));
    }
    template <class T>
    std::span<T> copy(const std::vector<T>& items) {
        static_assert(std::is_trivially_copyable_v<T>);
        if (items.empty())
            return {};
        auto* data = static_cast<T*>(m_buffer.allocate(items.size() * sizeof(T), alignof(T)));
        std::memcpy(static_cast<void*>(data), items.data(), items.size() * sizeof(T));
        return {data, items.size()};
    }
    std::string_view copy(std::string_view text) {
        if (text.empty())
            return {};
        auto* data = static_cast<char*>(m_buffer.allocate(text.size(), 1));
        std::memcpy(data, text.data(), text.size());
        return {data, text.size()};
    }

private:
    std::pmr::monotonic_buffer_resource m_buffer{16 * 1024};
};

} // namespace hidet
