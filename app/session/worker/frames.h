// SPDX-License-Identifier: Apache-2.0
// Messages on a stream of bytes: a mark, the length of what follows (four bytes, little-endian), then that many bytes. A
// stream begins with a greeting, because the other end may be a remote shell that prints before the worker speaks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lang/base/result.h"

namespace hidet::session {

inline constexpr std::string_view frame_greeting{"\0hidet worker\r\n\0", 16};
inline constexpr std::string_view frame_mark{"HdF\x01", 4};
inline constexpr std::size_t frame_limit = std::size_t{256} << 20; // bytes of a message

std::string frame_of(std::string_view message); // longer than the limit: our bug

class FrameReader {
public:
    // `banner_limit`: how many bytes may come before the greeting.
    explicit FrameReader(std::size_t banner_limit, std::size_t limit = frame_limit)
        : m_banner_limit(banner_limit), m_limit(limit) {}

    void feed(std::string_view bytes);
    // The next message; nothing: it is not here yet. "bad-frame": nothing that follows can be trusted.
    Result<std::optional<std::string>> next();

    bool in_a_frame() const { return m_greeted && m_at < m_bytes.size(); } // some bytes of one, not all
    const std::string& banner() const { return m_banner; }

private:
    bool find_greeting();

    const std::size_t m_banner_limit;
    const std::size_t m_limit;
    bool m_greeted = false;
    std::string m_banner;
    std::string m_bytes;
    std::size_t m_at = 0; // what is before was read
};

} // namespace hidet::session
