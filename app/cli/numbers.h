// SPDX-License-Identifier: Apache-2.0
// Numbers as the command line reads them, and counts as it writes them.
#pragma once

#include <charconv>
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

inline std::string count_of(std::int64_t count, const char* noun) { // "2 kernels"
    return cat(count, " ", noun, count == 1 ? "" : "s");
}

} // namespace hidet::cli
