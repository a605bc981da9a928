// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/frames.h"

#include <algorithm>
#include <cstdint>

#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr std::size_t head_size = frame_mark.size() + 4;

std::uint32_t read_length(std::string_view bytes) {
    std::uint32_t length = 0;
    for (int i = 3; i >= 0; --i)
        length = length << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
    return length;
}

// How many of the last bytes may be the first ones of a greeting.
std::size_t beginning_of_greeting(std::string_view bytes) {
    std::size_t length = std::min(bytes.size(), frame_greeting.size() - 1);
    while (!bytes.ends_with(frame_greeting.substr(0, length)))
        --length;
    return length;
}

} // namespace

std::string frame_of(std::string_view message) {
    HIDET_CHECK(message.size() <= frame_limit);
    std::string frame;
    frame.reserve(head_size + message.size());
    frame.append(frame_mark);
    for (int i = 0; i < 4; ++i)
        frame.push_back(static_cast<char>(message.size() >> (8 * i) & 0xff));
    return frame.append(message);
}

void FrameReader::feed(std::string_view bytes) {
    if (m_at > 0 && m_at >= m_bytes.size() / 2) {
        m_bytes.erase(0, m_at);
        m_at = 0;
    }
    m_bytes.append(bytes);
}

bool FrameReader::find_greeting() {
    std::size_t found = m_bytes.find(frame_greeting);
    bool whole = found != std::string::npos;
    std::size_t banner = whole ? found : m_bytes.size() - beginning_of_greeting(m_bytes);
    m_banner.append(m_bytes, 0, banner);
    m_bytes.erase(0, whole ? banner + frame_greeting.size() : banner);
    return whole;
}

Result<std::optional<std::string>> FrameReader::next() {
    if (!m_greeted) {
        m_greeted = find_greeting();
        if (m_banner.size() > m_banner_limit)
            return Error{"bad-frame", m_banner_limit == 0 ? "what comes does not begin with a greeting"
                                                          : "no greeting came, but much other text"};
        if (!m_greeted)
            return std::optional<std::string>();
    }
    std::string_view rest = std::string_view(m_bytes).substr(m_at);
    std::string_view mark = rest.substr(0, frame_mark.size());
    if (mark != frame_mark.substr(0, mark.size()))
        return Error{"bad-frame", "something else was written between messages"};
    if (rest.size() < head_size)
        return std::optional<std::string>();
    std::uint32_t length = read_length(rest.substr(frame_mark.size()));
    if (length > m_limit)
        return Error{"bad-frame",
                     cat("a message of ", length, " bytes was announced; at most ", m_limit, " are allowed")};
    if (rest.size() - head_size < length)
        return std::optional<std::string>();
    m_at += head_size + length;
    return std::optional<std::string>(rest.substr(head_size, length));
}

} // namespace hidet::session
