// SPDX-License-Identifier: Apache-2.0
// The value of the text between the quotes of a literal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hidet::lang {

enum class EscapeForm : std::uint8_t { Text, Raw, Bytes, RawBytes };

struct Unescaped {
    std::string text;
    std::string error; // empty: fine
    std::uint32_t error_at = 0;
    std::uint32_t error_end = 0;
};

Unescaped unescape(std::string_view text, EscapeForm form);

} // namespace hidet::lang
