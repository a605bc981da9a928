// SPDX-License-Identifier: Apache-2.0
// Letters and digits of ASCII, whatever the locale.
#pragma once

namespace hidet {

constexpr bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
constexpr bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
constexpr bool is_alphanumeric(char c) {
    return is_lower(c) || is_upper(c) || is_digit(c);
}
// What identifiers of C and of the IR's text are made of.
constexpr bool is_word(char c) {
    return is_alphanumeric(c) || c == '_';
}
// What names of a script are made of: bytes of letters beyond ASCII belong to them.
constexpr bool is_name_byte(char c) {
    return is_word(c) || static_cast<unsigned char>(c) >= 0x80;
}
constexpr char to_upper(char c) {
    return is_lower(c) ? static_cast<char>(c - 32) : c;
}
constexpr char to_lower(char c) {
    return is_upper(c) ? static_cast<char>(c + 32) : c;
}

} // namespace hidet
