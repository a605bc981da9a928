// SPDX-License-Identifier: Apache-2.0
// JSON, written into memory that grows.
#pragma once

#include <cstdlib>

#include "runtime/package/text.h"

namespace hidet::capi {

class Json {
public:
    explicit Json(std::size_t most) : m_most(most) {} // bytes
    ~Json() { std::free(m_text); }
    Json(const Json&) = delete;
    Json& operator=(const Json&) = delete;

    // '{' and '[' begin, '}' and ']' end; commas are written where they belong.
    Json& begin(char bracket) {
        separate();
        put(&bracket, 1);
        m_is_first = true;
        return *this;
    }
    Json& end(char bracket) {
        put(&bracket, 1);
        m_is_first = false;
        return *this;
    }
    Json& key(const char* name) {
        text(package::text(name));
        put(": ", 2);
        m_is_first = true;
        return *this;
    }
    Json& key(package::Text name) {
        text(name);
        put(": ", 2);
        m_is_first = true;
        return *this;
    }
    Json& text(package::Text text) {
        separate();
        put("\"", 1);
        for (std::size_t i = 0; i < text.size(); ++i)
            put_character(text.data()[i]);
        put("\"", 1);
        return *this;
    }
    Json& number(std::int64_t number) {
        separate();
        char digits[24];
        put(digits, static_cast<std::size_t>(std::snprintf(digits, sizeof digits, "%" PRId64, number)));
        return *this;
    }
    Json& boolean(bool holds) {
        separate();
        put(holds ? "true" : "false", holds ? 4 : 5);
        return *this;
    }
    bool is_too_long() const { return m_is_too_long; }
    char* take() { // to be freed; null: there was no memory, or it is too long
        put("", 1);
        char* taken = m_is_full ? nullptr : m_text;
        if (taken)
            m_text = nullptr;
        return taken;
    }

private:
    void separate() {
        if (!m_is_first)
            put(", ", 2);
        m_is_first = false;
    }
    void put_character(char c) {
        char escaped[8];
        if (c == '"' || c == '\\') {
            const char both[] = {'\\', c};
            put(both, 2);
        } else if (static_cast<unsigned char>(c) < 0x20) {
            put(escaped, static_cast<std::size_t>(std::snprintf(escaped, sizeof escaped, "\\u%04x", c)));
        } else {
            put(&c, 1);
        }
    }
    void put(const char* bytes, std::size_t count) {
        if (m_is_full)
            return;
        if (count > m_most - m_count) {
            m_is_full = m_is_too_long = true;
            return;
        }
        if (m_count + count > m_room) {
            const std::size_t room = 2 * (m_count + count) + 1024;
            char* larger = static_cast<char*>(std::realloc(m_text, room));
            if (!larger) {
                m_is_full = true;
                return;
            }
            m_text = larger;
            m_room = room;
        }
        std::memcpy(m_text + m_count, bytes, count);
        m_count += count;
    }

    char* m_text = nullptr;
    const std::size_t m_most;
    std::size_t m_count = 0, m_room = 0;
    bool m_is_first = true, m_is_full = false, m_is_too_long = false;
};

} // namespace hidet::capi
