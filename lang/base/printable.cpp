// SPDX-License-Identifier: Apache-2.0
#include "lang/base/printable.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>

#include "lang/base/text.h"

namespace hidet {

namespace {

struct Range {
    std::uint32_t first;
    std::uint32_t last;
};
constexpr Range unseen[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x00ad, 0x00ad}, {0x061c, 0x061c}, {0x180e, 0x180e}, {0x200b, 0x200f},
    {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xe0000, 0xe0fff},
};

constexpr Range drives_terminal[] = {
    {0x0000, 0x0008}, {0x000b, 0x001f}, {0x007f, 0x009f}, {0x061c, 0x061c},
    {0x200e, 0x200f}, {0x202a, 0x202e}, {0x2066, 0x2069},
};

bool is_among(std::span<const Range> ranges, std::uint32_t character) {
    return std::ranges::any_of(ranges,
                               [&](const Range& range) { return character >= range.first && character <= range.last; });
}

std::string escaped(const char* format, std::uint32_t value) {
    char text[16];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

// The next character as it is printed; `text` loses it. A byte that begins no character stands for itself.
std::string next_printed(std::string_view& text, std::span<const Range> hidden) {
    const auto first = static_cast<std::uint8_t>(text[0]);
    const std::size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const std::string_view bytes = text.substr(0, size);
    if (bytes.size() < size || !is_valid_utf8(bytes)) {
        text.remove_prefix(1);
        return escaped("\\x%02x", first);
    }
    std::uint32_t character = size == 1 ? first : first & (0x7fU >> size);
    for (std::size_t i = 1; i < size; ++i)
        character = character << 6 | (static_cast<std::uint8_t>(bytes[i]) & 0x3f);
    text.remove_prefix(size);
    if (!is_among(hidden, character))
        return std::string(bytes);
    return escaped(character < 0x100 ? "\\x%02x" : "\\u%04x", character);
}

std::string printed(std::string_view text, std::span<const Range> hidden = unseen) {
    std::string result;
    while (!text.empty())
        result += next_printed(text, hidden);
    return result;
}

std::size_t characters_in(std::string_view text) {
    std::size_t count = 0;
    for (char each : text)
        count += (static_cast<std::uint8_t>(each) & 0xc0) != 0x80;
    return count;
}

// The first or the last `count` characters of UTF-8.
std::string_view first_of(std::string_view text, std::size_t count) {
    std::size_t at = 0;
    for (; at < text.size(); ++at)
        if ((static_cast<std::uint8_t>(text[at]) & 0xc0) != 0x80 && count-- == 0)
            break;
    return text.substr(0, at);
}
std::string_view last_of(std::string_view text, std::size_t count) {
    std::size_t at = text.size();
    while (at > 0 && count > 0)
        count -= (static_cast<std::uint8_t>(text[--at]) & 0xc0) != 0x80;
    return text.substr(at);
}

} // namespace

std::string printable(std::string_view text, std::size_t most) {
    // A character takes four bytes at most: what is farther from both ends is not looked at.
    const std::size_t enough = 4 * most + 4;
    const bool is_long = text.size() > 2 * enough;
    const std::string begin = printed(is_long ? text.substr(0, enough) : text);
    if (!is_long && characters_in(begin) <= most)
        return begin;
    const std::string end = is_long ? printed(text.substr(text.size() - enough)) : begin;
    const std::size_t kept = most > 5 ? most - 5 : 0;
    return cat(first_of(begin, kept - kept / 3), " ... ", last_of(end, kept / 3));
}

std::string for_terminal(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find("\r\n", at);
        out += printed(text.substr(at, end == text.npos ? end : end - at), drives_terminal);
        if (end == text.npos)
            break;
        out += "\r\n";
        at = end + 2;
    }
    return out;
}

std::string shortened(std::string_view text, std::size_t most_bytes) {
    if (text.size() <= most_bytes)
        return std::string(text);
    std::size_t end = most_bytes;
    while (end > 0 && (static_cast<std::uint8_t>(text[end]) & 0xc0) == 0x80)
        --end;
    return cat(text.substr(0, end), "...");
}

} // namespace hidet
