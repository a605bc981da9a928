// SPDX-License-Identifier: Apache-2.0
// The formats of C's printf(), as scripts write them, the emulator prints them and generated code has them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hidet {

// "%-*.3lld". Lengths (l, h, ...) are left out: they follow from the value.
struct PrintConversion {
    std::size_t begin = 0; // of the '%' in the format
    std::size_t end = 0;   // behind the letter
    std::string flags;
    std::string width;         // digits, "*" or nothing
    std::string precision;     // with its '.': ".3", ".*", "." or nothing
    char letter = 0;           // 0 where none follows
    std::size_t stars() const; // how many values it takes before its own
};

// "%%" is none of them.
std::vector<PrintConversion> print_conversions(std::string_view format);

inline constexpr int widest_print = 500; // more than a line has: what a width and a precision may be

// What a width or a precision of digits is, or one more than the widest where it is larger than that.
int print_number(std::string_view digits);

} // namespace hidet
