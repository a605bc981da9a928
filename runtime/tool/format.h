// SPDX-License-Identifier: Apache-2.0
// Numbers and columns for people.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace hidet::tool {

// To this many characters, which may be several bytes each.
inline std::string pad(std::string text, std::size_t width) {
    std::size_t characters = 0;
    for (char byte : text)
        characters += (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
    return characters < width ? text.append(width - characters, ' ') : text;
}

// "1.50", "12.3", "123": three digits that matter.
inline std::string digits(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
    return text;
}

inline std::string counted(std::uint64_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

inline std::string bytes_text(std::uint64_t bytes) {
    if (bytes < 1024)
        return std::to_string(bytes) + " B";
    const char* units[] = {"KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes) / 1024;
    int unit = 0;
    for (; value >= 999.5 && unit < 3; ++unit)
        value /= 1024;
    return digits(value) + " " + units[unit];
}

inline std::string time_text(double microseconds) {
    if (microseconds < 1e3)
        return digits(microseconds) + " µs";
    if (microseconds < 1e6)
        return digits(microseconds / 1e3) + " ms";
    return digits(microseconds / 1e6) + " s";
}

} // namespace hidet::tool
