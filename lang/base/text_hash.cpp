// SPDX-License-Identifier: Apache-2.0
#include "lang/base/text_hash.h"

#include <cstdint>
#include <cstdio>

namespace hidet {

std::string hash_text(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    return digits;
}

std::string hex_digits(std::string_view bytes) {
    constexpr char alphabet[] = "0123456789abcdef";
    std::string digits;
    for (const unsigned char byte : bytes)
        digits += {alphabet[byte / 16], alphabet[byte % 16]};
    return digits;
}

} // namespace hidet
