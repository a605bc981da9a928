// SPDX-License-Identifier: Apache-2.0
// Reading the texts that tools print.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "lang/base/text.h"

namespace hidet::toolchain {

// Takes the number that the text starts with, spaces before it included; -1: there is none.
inline int take_number(std::string_view& text) {
    text = trimmed(text);
    int number = -1;
    auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc())
        return -1;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

// "13.0.88" of what one of NVIDIA's programs says of itself: "ptxas: NVIDIA (R) Ptx optimizing assembler", then its makers, then
// "..., release 13.0, V13.0.88". Empty: the text is of another program than the one with this title.
inline std::string release_in(std::string_view text, std::string_view title) {
    const std::size_t at = text.find(", V");
    if (at == std::string_view::npos || text.substr(0, text.find('\n')).find(title) == std::string_view::npos)
        return {};
    text.remove_prefix(at + 3);
    return std::string(text.substr(0, text.find_first_not_of("0123456789.")));
}

// Whether the text starts so; takes the start and the spaces after it.
inline bool take(std::string_view& text, std::string_view start) {
    if (!text.starts_with(start))
        return false;
    text = trimmed(text.substr(start.size()));
    return true;
}

} // namespace hidet::toolchain
