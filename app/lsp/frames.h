// SPDX-License-Identifier: Apache-2.0
// Messages of the language server protocol in a stream of bytes: header lines, an empty line, and as many bytes as they say.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hidet::lsp {

inline constexpr std::size_t most_message_bytes = 64u << 20;

// Bytes in, messages out. What makes no sense is refused with one fault, and reading goes on where the next header begins.
class FrameReader {
public:
    struct Frame {
        std::string body;
        std::string fault; // why there is no body
    };

    void feed(std::string_view bytes) { m_bytes += bytes; }
    std::optional<Frame> next(); // nothing: more bytes are needed

private:
    std::optional<Frame> header();
    Frame lose(std::string why);
    bool find_again();

    std::string m_bytes;
    std::optional<std::size_t> m_size; // of the body that comes
    std::size_t m_skipped = 0;         // bytes of a body that is too large, still to come
    bool m_is_lost = false;            // and looks for a header
};

std::string frame_of(std::string_view body);

} // namespace hidet::lsp
