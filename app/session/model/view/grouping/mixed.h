// SPDX-License-Identifier: Apache-2.0
// Hashes of the shapes of boxes: equal shapes are candidates for one repeated block.
#pragma once

#include <cstdint>
#include <string_view>

namespace hidet::session::grouping {

inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    return hash ^ hash >> 29;
}
inline std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
    for (char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
    return mixed(hash, text.size());
}

} // namespace hidet::session::grouping
