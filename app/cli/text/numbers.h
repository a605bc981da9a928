// SPDX-License-Identifier: Apache-2.0
// Numbers as the command line reads them, and counts as it writes them.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "lang/base/text.h"

namespace hidet::cli {

// The whole text is a number of type T.
template <class T>
bool read_number(std::string_view text, T& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size();
}

// "1e-5,1e-3": absolute, relative; neither is negative, infinite or no number.
inline bool read_bounds(std::string_view text, double& absolute, double& relative) {
    const std::size_t comma = text.find(',');
    const auto is_bound = [](double value) { return value >= 0 && std::isfinite(value); };
    return comma != std::string_view::npos && read_number(text.substr(0, comma), absolute) &&
           read_number(text.substr(comma + 1), relative) && is_bound(absolute) && is_bound(relative);
}

inline std::string count_of(std::int64_t count, const char* noun) { // "2 kernels"
    return cat(count, " ", noun, count == 1 ? "" : "s");
}

} // namespace hidet::cli
