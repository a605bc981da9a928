// SPDX-License-Identifier: Apache-2.0
// Text of users (names, messages, names of files) as a part of generated code: it stays one name, one literal, one comment,
// whatever it consists of.
#pragma once

#include <string>
#include <string_view>

namespace hidet {

// An identifier of C, C++ and Python of 1 to 128 letters of ASCII, digits and '_': what is none of them becomes '_'.
std::string identifier_of(std::string_view text);

// A literal of C, C++ and Python: no line ends in it, no trigraph, no byte below 0x20.
std::string c_string(std::string_view text);

// One line, as it may stand in a comment of C, C++, Python, CMake or Markdown: neither a line end nor a sign that ends the
// comment or joins the next line to it.
std::string comment_text(std::string_view text);

} // namespace hidet
