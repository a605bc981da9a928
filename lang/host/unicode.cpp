// SPDX-License-Identifier: Apache-2.0
// Strings are UTF-8; scripts count code points.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "lang/host/operators.h"

namespace hidet::lang {

// Every index of a string asks: eight characters at a time.
bool is_ascii(std::string_view text) {
    std::size_t at = 0;
    for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
        std::memcpy(&word, text.data() + at, sizeof word);
        if (word & 0x8080808080808080)
            return false;
    }
    return std::none_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                        [](char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; });
}

static bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::int64_t code_point_count(std::string_view text) {
    return std::ranges::count_if(text, [](char c) { return !is_continuation(c); });
}

std::size_t byte_offset(std::string_view text, std::int64_t code_point) {
    std::size_t at = 0;
    for (std::int64_t i = 0; i < code_point && at < text.size(); ++i) {
        ++at;
        while (at < text.size() && is_continuation(text[at]))
            ++at;
    }
    return at;
}

std::u32string decode(std::string_view text) {
    std::u32string out;
    for (std::size_t i = 0; i < text.size();) {
        auto lead = static_cast<unsigned char>(text[i]);
        std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        char32_t code = length == 1 ? lead : lead & (0x7Fu >> length);
        for (std::size_t k = 1; k < length && i + k < text.size(); ++k)
            code = code << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3Fu);
        out += code;
        i += length;
    }
    return out;
}

void append_code_point(std::string& out, char32_t code) {
    if (code < 0x80) {
        out += static_cast<char>(code);
        return;
    }
    if (code < 0x800) {
        out += static_cast<char>(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            out += static_cast<char>(0xE0 | code >> 12);
        } else {
            out += static_cast<char>(0xF0 | code >> 18);
            out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
        }
        out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    }
    out += static_cast<char>(0x80 | (code & 0x3F));
}

std::string encode(std::u32string_view text) {
    std::string out;
    for (char32_t code : text)
        append_code_point(out, code);
    return out;
}

} // namespace hidet::lang
