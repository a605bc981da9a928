// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/frames.h"

#include <algorithm>
#include <charconv>

#include "lang/base/ascii.h"
#include "lang/base/text.h"

namespace hidet::lsp {

namespace {

constexpr std::size_t most_header_bytes = 8192;
constexpr std::string_view length_name = "content-length";

std::size_t find_length_name(std::string_view bytes) {
    auto same = [](char a, char b) { return to_lower(a) == b; };
    auto found = std::search(bytes.begin(), bytes.end(), length_name.begin(), length_name.end(), same);
    return found == bytes.end() ? std::string_view::npos : static_cast<std::size_t>(found - bytes.begin());
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
        text.remove_suffix(1);
    return text;
}

// Of a block of header lines; nothing: it says none, or none that is a number.
std::optional<std::size_t> length_in(std::string_view block) {
    while (!block.empty()) {
        std::size_t end = std::min(block.find('\n'), block.size());
        std::string_view line = trimmed(block.substr(0, end));
        block.remove_prefix(std::min(end + 1, block.size()));
        std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || trimmed(line.substr(0, colon)).size() != length_name.size() ||
            find_length_name(line) != 0)
            continue;
        std::string_view number = trimmed(line.substr(colon + 1));
        std::size_t size = 0;
        auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), size);
        if (error == std::errc() && stop == number.data() + number.size())
            return size;
    }
    return std::nullopt;
}

} // namespace

FrameReader::Frame FrameReader::lose(std::string why) {
    m_is_lost = true;
    return {"", std::move(why)};
}

// Drops what stands before the next header; false: there is none yet.
bool FrameReader::find_again() {
    std::size_t at = find_length_name(m_bytes);
    if (at == std::string::npos) { // the name may have come in part
        m_bytes.erase(0, m_bytes.size() - std::min(m_bytes.size(), length_name.size() - 1));
        return false;
    }
    m_bytes.erase(0, at);
    m_is_lost = false;
    return true;
}

std::optional<FrameReader::Frame> FrameReader::header() {
    std::size_t end = m_bytes.find("\r\n\r\n"), skip = 4;
    if (std::size_t plain = m_bytes.find("\n\n"); plain < end) {
        end = plain;
        skip = 2;
    }
    if (end == std::string::npos)
        return m_bytes.size() <= most_header_bytes ? std::nullopt : std::optional(lose("the header does not end"));
    std::optional<std::size_t> size = length_in(std::string_view(m_bytes).substr(0, end));
    m_bytes.erase(0, end + skip);
    if (!size)
        return lose("the header has no Content-Length that is a number");
    if (*size <= most_message_bytes) {
        m_size = size;
        return std::nullopt;
    }
    m_skipped = *size;
    return Frame{"", cat("a message of ", *size, " bytes is too large")};
}

std::optional<FrameReader::Frame> FrameReader::next() {
    if (m_skipped > 0) {
        std::size_t gone = std::min(m_skipped, m_bytes.size());
        m_bytes.erase(0, gone);
        m_skipped -= gone;
    }
    if (m_skipped > 0 || (m_is_lost && !find_again()))
        return std::nullopt;
    if (!m_size)
        if (std::optional<Frame> fault = header())
            return fault;
    if (!m_size || m_bytes.size() < *m_size)
        return std::nullopt;
    Frame out{m_bytes.substr(0, *m_size), ""};
    m_bytes.erase(0, *m_size);
    m_size.reset();
    return out;
}

std::string frame_of(std::string_view body) {
    return cat("Content-Length: ", body.size(), "\r\n\r\n", body);
}

} // namespace hidet::lsp
