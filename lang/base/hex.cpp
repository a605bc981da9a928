// SPDX-License-Identifier: Apache-2.0
#include "lang/base/hex.h"

namespace hidet {

std::string hex_digits(std::string_view bytes) {
    constexpr char alphabet[] = "0123456789abcdef";
    std::string digits;
    for (const unsigned char byte : bytes)
        digits += {alphabet[byte / 16], alphabet[byte % 16]};
    return digits;
}

} // namespace hidet
