// SPDX-License-Identifier: Apache-2.0
#include "lang/base/text_hash.h"

namespace hidet {

std::string hash_text(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hex_digits(hash, 16);
}

std::string hex_digits(std::string_view bytes) {
    std::string text;
    for (const unsigned char byte : bytes)
        text += hex_digits(byte, 2);
    return text;
}

std::string hex_digits(std::uint64_t value, int digits) {
    std::string text;
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
        text += "0123456789abcdef"[value >> shift & 15];
    return text;
}

} // namespace hidet
