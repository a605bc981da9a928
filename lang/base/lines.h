// SPDX-License-Identifier: Apache-2.0
// A text as its lines.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace hidet {

// Without their ends; behind the last end there is no line.
inline std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        out.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

} // namespace hidet
