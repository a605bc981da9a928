// SPDX-License-Identifier: Apache-2.0
// Text of a stranger's file in a message or a row: names may hold escapes that drive a terminal, marks that turn the direction
// of writing, or megabytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hidet {

inline constexpr std::size_t most_in_message = 300; // characters

// What does not show as itself (control characters, marks of direction, spaces of no width, bytes that are no UTF-8) becomes
// an escape: "\x1b", "\u202e". Text of more characters loses those in its middle.
std::string printable(std::string_view text, std::size_t most = most_in_message);

// Text of many lines as a terminal may have it: what drives one, or turns the direction of writing, becomes an escape.
std::string for_terminal(std::string_view text);

// At most as many bytes of UTF-8, whole characters, with "..." for the rest.
std::string shortened(std::string_view text, std::size_t most_bytes);

} // namespace hidet
