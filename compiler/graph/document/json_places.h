// SPDX-License-Identifier: Apache-2.0
// Where in a JSON text something stands, so that an error can point at it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hidet::graph {

using JsonStep = std::variant<std::string, std::size_t>;   // a member of an object, an element of a list
using TextRange = std::pair<std::uint32_t, std::uint32_t>; // bytes [begin, end)

// The value at the end of the path in a text that is known to be JSON; nothing when there is no such thing.
std::optional<TextRange> place_in_json(std::string_view text, const std::vector<JsonStep>& path);

} // namespace hidet::graph
