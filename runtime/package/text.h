// SPDX-License-Identifier: Apache-2.0
// Texts and lists that own nothing, and text written into a buffer that somebody has.
#pragma once

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

namespace hidet::package {

struct Text {
    const char* first = "";
    std::uint32_t count = 0;
    const char* data() const { return first; }
    std::size_t size() const { return count; }
    bool empty() const { return count == 0; }
    friend bool operator==(Text a, Text b) { return a.count == b.count && std::memcmp(a.first, b.first, a.count) == 0; }
};
inline Text text(const char* characters) {
    return {characters, static_cast<std::uint32_t>(std::strlen(characters))};
}

template <class T>
struct List {
    T* items = nullptr;
    std::uint32_t count = 0;
    std::size_t size() const { return count; }
    bool empty() const { return count == 0; }
    T* begin() const { return items; }
    T* end() const { return items + count; }
    T& operator[](std::size_t row) const { return items[row]; }
};

// Writes what fits; whatever follows is left out, at the end of a character of UTF-8.
class TextWriter {
public:
    TextWriter(char* out, std::size_t room) : m_out(out), m_room(room) { m_out[0] = '\0'; }

    template <class... Parts>
    void add(const Parts&... parts) {
        (add_one(parts), ...);
    }

private:
    template <class T>
    void add_one(const T& part) {
        if constexpr (std::is_convertible_v<T, const char*>)
            append(part, std::strlen(part));
        else if constexpr (std::is_unsigned_v<T>)
            add_number("%" PRIu64, static_cast<std::uint64_t>(part));
        else if constexpr (std::is_integral_v<T>)
            add_number("%" PRId64, static_cast<std::int64_t>(part));
        else
            append(part.data(), part.size());
    }
    void add_number(const char* format, auto number) {
        char digits[24];
        append(digits, static_cast<std::size_t>(std::snprintf(digits, sizeof digits, format, number)));
    }
    void append(const char* bytes, std::size_t count) {
        if (m_is_full)
            return;
        if (count >= m_room - m_size) {
            m_is_full = true;
            count = m_room - m_size - 1;
            while (count > 0 && (bytes[count] & 0xc0) == 0x80)
                --count;
        }
        std::memcpy(m_out + m_size, bytes, count);
        m_out[m_size += count] = '\0';
    }

    char* m_out;
    std::size_t m_room;
    std::size_t m_size = 0;
    bool m_is_full = false;
};

} // namespace hidet::package
